// Two traces of one network, side by side. What differs between them depends on the inputs in a way
// that no recorded operation says; sizes may differ where the batch does.

import { type HostArray, VoxgradError } from '@voxgrad/core';
import type { Varies } from './graph.js';
import { describeSite, isValue, type Trace, type TracedNode, type Value } from './trace.js';

/** Why a network cannot be written down from the operations of one run. */
const inconstant = (site: string, what: string) =>
  new VoxgradError(
    'UNSUPPORTED',
    `exportOnnx(): in ${describeSite(site)} ${what} from one input to another. What is exported are the ` +
      'operations of one run, so values that are read in between (item(), tolist(), random draws) may ' +
      'decide nothing. Compute them with tensors, or leave that part out of the exported module',
  );

/**
 * Which dims of the values of `first` vary, as `second` shows.
 * @throws VoxgradError UNSUPPORTED where the two are not the same computation
 */
export function compare(first: Trace, second: Trace): Varies {
  const varying = new Map<Value, readonly boolean[]>();
  const pairs = new Map<Value, Value>();

  const pair = (a: Value, b: Value, node: TracedNode | undefined): void => {
    const known = pairs.get(a);
    if (known === b) return;
    const site = node?.site ?? '';
    if (known !== undefined || a.origin.kind !== b.origin.kind || a.dtype !== b.dtype)
      throw inconstant(site, 'other operations run');
    if (a.shape.length !== b.shape.length) throw inconstant(site, 'the number of dims changes');
    if (a.origin.kind === 'data' && b.origin.kind === 'data' && !sameData(a, b))
      throw inconstant(site, `a constant of ${node?.name ?? 'the outputs'} changes`);
    pairs.set(a, b);
    varying.set(
      a,
      a.shape.map((size, axis) => size !== b.shape[axis]),
    );
  };

  for (const [i, input] of first.inputs.entries()) pair(input, second.inputs[i], undefined);
  for (const [i, node] of first.nodes.entries()) {
    const other = second.nodes[i];
    if (other?.name !== node.name || other.inputs.length !== node.inputs.length)
      throw inconstant(
        node.site,
        `other operations run (${node.name} or ${other?.name ?? 'none'})`,
      );
    for (const [at, input] of node.inputs.entries()) pair(input, other.inputs[at], node);
    if (node.kind === 'call' && settings(node.args) !== settings(other.args))
      throw inconstant(node.site, `the options of ${node.name} change`);
    for (const [at, output] of node.outputs.entries()) pair(output, other.outputs[at], node);
  }
  if (second.nodes.length !== first.nodes.length || second.outputs.length !== first.outputs.length)
    throw inconstant('', 'more or fewer operations run');
  for (const [i, output] of first.outputs.entries()) pair(output, second.outputs[i], undefined);
  return (value) => varying.get(value) ?? value.shape.map(() => false);
}

/** The arguments of a call without its tensors. */
const settings = (args: readonly unknown[]): string =>
  JSON.stringify(args, (_, value) => {
    if (isValue(value)) return 'tensor';
    return typeof value === 'bigint' ? String(value) : value;
  });

function sameData(a: Value, b: Value): boolean {
  if (a.origin.kind !== 'data' || b.origin.kind !== 'data') return false;
  if (a.origin.name !== undefined) return a.origin.name === b.origin.name;
  const [left, right] = [a.origin.read(), b.origin.read()];
  return (
    left.length === right.length && bytesOf(left).every((byte, i) => byte === bytesOf(right)[i])
  );
}

const bytesOf = (elements: HostArray): Uint8Array =>
  new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
