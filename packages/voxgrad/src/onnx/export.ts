// A network as an ONNX model, from a trace of what it computes.

import {
  arange,
  argumentError,
  cat,
  checkOptions,
  formatShape,
  getRngState,
  isFloat,
  type OptionTable,
  setRngState,
  Tensor,
  VoxgradError,
} from '@voxgrad/core';
import { Module } from '@voxgrad/nn';
import { compare } from './compare.js';
import { GraphBuilder, isExpansion, type Varies } from './graph.js';
import { encodeModel, type OnnxNode, type OnnxPort, type OnnxTensor } from './proto.js';
import { record } from './record.js';
import { CALLS, OPERATIONS } from './rows/index.js';
import { describeSite, type Trace, type TracedNode, type Value } from './trace.js';

export interface OnnxOptions {
  /** Version of the operators, 18 (the default) to 21. */
  opset?: number;
  /** `input`, or `input_0`, `input_1`, … if omitted. */
  inputNames?: readonly string[];
  /** `output`, or `output_0`, `output_1`, … if omitted. */
  outputNames?: readonly string[];
  /** Whether the first dim of the inputs may have another size in every call; named `batch`. */
  dynamicBatch?: boolean;
}

const OPTIONS: OptionTable<OnnxOptions> = {
  opset: true,
  inputNames: true,
  outputNames: true,
  dynamicBatch: true,
};

const DEFAULT_OPSET = 18;
const NEWEST_OPSET = 21;

/** Protobuf messages end there, and runtimes refuse longer ones. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * Writes a network as an ONNX model for other runtimes: the operations that it runs for the example,
 * in `eval` mode, with parameters and buffers under their names in state dicts.
 *
 * The network runs twice, with inputs of different values. Where the two runs differ in something other
 * than the values of recorded operations (a branch on an element that falls out another way, a random
 * draw) the export is refused. Sizes and branches are those of these runs.
 *
 * @param example the input, or the inputs, of `model.call`; their shapes and dtypes are the model's
 * @returns the content of an `.onnx` file
 * @throws VoxgradError UNSUPPORTED naming the operation, and the module that runs it, which ONNX or
 *   this export has not
 */
export function exportOnnx(
  model: Module,
  example: Tensor | readonly Tensor[],
  options: OnnxOptions = {},
): Uint8Array<ArrayBuffer> {
  checkOptions('exportOnnx', options, OPTIONS);
  const { opset = DEFAULT_OPSET, dynamicBatch = false } = options;
  if (!Number.isInteger(opset) || opset < DEFAULT_OPSET || opset > NEWEST_OPSET)
    throw argumentError(
      `exportOnnx(): opset must be ${DEFAULT_OPSET} to ${NEWEST_OPSET}, but got ${String(opset)}`,
    );
  const inputs = checkInputs(model, example);
  const [first, second] = variants(inputs, dynamicBatch);
  const { trace, varies } = inEvalMode(model, () => {
    const trace = record(model, first);
    return { trace, varies: compare(trace, record(model, second)) };
  });
  if (trace.outputs.length === 0)
    throw argumentError('exportOnnx(): the network returns no tensors');
  const names = {
    inputs: namesFor('inputNames', 'input', trace.inputs.length, options.inputNames),
    outputs: namesFor('outputNames', 'output', trace.outputs.length, options.outputNames),
  };
  const graph = new GraphBuilder(opset, varies, [...names.inputs, ...names.outputs]);
  build(graph, trace, names.inputs);
  const outputs = nameOutputs(graph, trace.outputs, names.outputs);
  const { nodes, initializers } = reachable(graph, outputs);
  const size = initializers.reduce((total, { bytes }) => total + bytes.length, 0);
  if (size > MAX_BYTES)
    throw new VoxgradError(
      'UNSUPPORTED',
      `exportOnnx(): the parameters have ${size} bytes, and an ONNX file holds ${MAX_BYTES} at most`,
    );
  return encodeModel({
    name: model.constructor.name,
    opset,
    nodes,
    initializers,
    inputs: trace.inputs.map((value, i) => portOf(value, names.inputs[i], varies)),
    outputs: trace.outputs.map((value, i) => portOf(value, names.outputs[i], varies)),
  });
}

function checkInputs(model: unknown, example: unknown): readonly Tensor[] {
  if (!(model instanceof Module))
    throw argumentError('exportOnnx(): expected a Module as first argument');
  const inputs: readonly unknown[] = Array.isArray(example) ? example : [example];
  const tensors = inputs.filter((input): input is Tensor => input instanceof Tensor);
  if (tensors.length === 0 || tensors.length !== inputs.length)
    throw argumentError('exportOnnx(): expected a Tensor, or a list of Tensors, as example input');
  const hidden = tensors.find(({ device }) => !device.capabilities.synchronous);
  if (hidden)
    throw new VoxgradError(
      'DEVICE',
      `exportOnnx(): the elements on ${hidden.device.name} cannot be read synchronously; move the model ` +
        "and the example to 'cpu' first",
    );
  return tensors;
}

/**
 * Two sets of inputs with other values each. For a dynamic batch they have 2 and 3 of what the example
 * has first, so that no size of the batch is taken for another size, or for one that broadcasts.
 */
function variants(inputs: readonly Tensor[], dynamicBatch: boolean): [Tensor[], Tensor[]] {
  if (!dynamicBatch) return [[...inputs], inputs.map(varied)];
  const single = inputs.find(({ ndim }) => ndim === 0);
  if (single !== undefined)
    throw argumentError('exportOnnx(): with dynamicBatch every input must have a first dim');
  const times = (x: Tensor, n: number) => {
    if (x.shape[0] === 0)
      throw argumentError(
        `exportOnnx(): with dynamicBatch the example must not be empty, but has shape ${formatShape(x.shape)}`,
      );
    const sample = x.narrow(0, 0, 1);
    return cat(new Array<Tensor>(n).fill(sample), 0);
  };
  return [inputs.map((x) => times(x, 2)), inputs.map((x) => varied(times(x, 3)))];
}

/** Other elements of the same kind: integers, which may be indices, only change places. */
function varied(x: Tensor): Tensor {
  const turned = x.detach().flip(x.shape.map((_, d) => d));
  if (!isFloat(x.dtype)) return turned;
  const ramp = arange(x.numel, { dtype: x.dtype, device: x.device }).div(Math.max(x.numel, 1));
  return turned.mul(0.75).add(ramp.reshape(x.shape).mul(0.5).add(0.125));
}

/** Runs `fn` with the model as in `eval()`, and leaves modes and random numbers as they were. */
function inEvalMode<T>(model: Module, fn: () => T): T {
  const modules = model.modules();
  const modes = modules.map(({ training }) => training);
  const random = getRngState();
  model.eval();
  try {
    return fn();
  } finally {
    for (const [i, module] of modules.entries()) module.training = modes[i];
    setRngState(random);
  }
}

function namesFor(
  option: string,
  stem: string,
  count: number,
  given: readonly string[] | undefined,
): readonly string[] {
  if (given === undefined)
    return count === 1 ? [stem] : Array.from({ length: count }, (_, i) => `${stem}_${i}`);
  if (!Array.isArray(given) || given.length !== count || new Set(given).size !== count)
    throw argumentError(
      `exportOnnx(): ${option} must be a list of ${count} different names, but got ${JSON.stringify(given)}`,
    );
  return given;
}

/** Writes what the outputs need, in the order in which it ran. */
function build(graph: GraphBuilder, trace: Trace, inputNames: readonly string[]): void {
  for (const [i, input] of trace.inputs.entries()) graph.bind(input, inputNames[i]);
  const needed = neededBy(trace.outputs);
  for (const node of trace.nodes) {
    if (!needed.has(node)) continue;
    graph.enter(node);
    const emit = emitterOf(node);
    if (isExpansion(node)) {
      graph.expanded(node.outputs[0], () => [emit(graph, node)].flat()[0]);
      continue;
    }
    const outputs = [emit(graph, node)].flat();
    for (const [i, name] of outputs.entries()) graph.bind(node.outputs[i], name);
  }
}

function emitterOf(node: TracedNode) {
  const { kind, name, site } = node;
  const emit = kind === 'call' ? CALLS.get(name)?.emit : OPERATIONS.get(name);
  if (emit !== undefined) return emit;
  throw new VoxgradError(
    'UNSUPPORTED',
    `exportOnnx(): ${describeSite(site)} runs the operation '${name}', which has no counterpart in ONNX ` +
      'here. Replace it there, or export the part of the network before it',
  );
}

function neededBy(outputs: readonly Value[]): Set<TracedNode> {
  const needed = new Set<TracedNode>();
  const queue = [...outputs];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (value.origin.kind !== 'result' || needed.has(value.origin.node)) continue;
    needed.add(value.origin.node);
    queue.push(...value.origin.node.inputs);
  }
  return needed;
}

/** Gives the outputs their names; what has a name already is passed on by a node. */
function nameOutputs(
  graph: GraphBuilder,
  values: readonly Value[],
  names: readonly string[],
): readonly string[] {
  const renamed = new Map<string, string>();
  const made = new Set(graph.nodes.flatMap(({ outputs }) => outputs));
  values.forEach((value, i) => {
    const name = graph.of(value);
    if (made.has(name) && !renamed.has(name)) renamed.set(name, names[i]);
    else
      graph.nodes.push({
        name: `Identity_${names[i]}`,
        type: 'Identity',
        inputs: [name],
        outputs: [names[i]],
        attributes: {},
      });
  });
  const rename = (name: string) => renamed.get(name) ?? name;
  for (const node of graph.nodes) {
    node.inputs = node.inputs.map(rename);
    node.outputs = node.outputs.map(rename);
  }
  return names;
}

/** What the outputs are made of. */
function reachable(
  graph: GraphBuilder,
  outputs: readonly string[],
): { nodes: OnnxNode[]; initializers: OnnxTensor[] } {
  const used = new Set(outputs);
  const nodes = graph.nodes.toReversed().filter((node) => {
    const needed = node.outputs.some((name) => used.has(name));
    if (needed) for (const name of node.inputs) used.add(name);
    return needed;
  });
  return {
    nodes: nodes.reverse(),
    initializers: graph.initializers.filter(({ name }) => used.has(name)),
  };
}

const portOf = (value: Value, name: string, varies: Varies): OnnxPort => ({
  name,
  dtype: value.dtype,
  shape: value.shape.map((size, axis) => (varies(value)[axis] ? 'batch' : size)),
});
