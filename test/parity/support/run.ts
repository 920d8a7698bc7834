import * as vg from 'voxgrad';
import type { Case, Precision, Results } from './cases.js';
import { stored } from './cases.js';
import {
  compareGradient,
  compareOutput,
  compareTensors,
  type Finding,
  tensorsLike,
} from './compare.js';
import { Arguments, callable, type Layout, type Leaf, moduleOf } from './values.js';

export interface Outcome {
  readonly forward: Finding[];
  readonly gradient: Finding[];
}

interface Computed {
  readonly output: unknown;
  /** What is differentiated by: input tensors, then parameters. */
  readonly wanted: (Leaf & { name: string })[];
  /** State after the call, and what its keys should be. */
  readonly findings: Finding[];
}

const seeded = (c: Case) => c.seed !== undefined && vg.manualSeed(c.seed);
const resultsOf = (c: Case, precision: Precision): Results =>
  (precision === 'float32' && c.float32) || c;
const leavesOf = (args: Arguments) =>
  args.leaves.map((leaf, i) => ({ ...leaf, name: `gradient of input ${i}` }));

function callFunction(c: Case, args: Arguments, precision: Precision): Computed {
  const call = callable(c);
  const list = args.list(c.args, c.options);
  seeded(c);
  return { output: call(...list), wanted: leavesOf(args), findings: functionForm(c, precision) };
}

/** Functions that are not the method of the same name, in PyTorch as here. */
const UNRELATED = ['where', 'unfold'];

/** `add(x, y)` gives what `x.add(y)` gives, where there is such a function. */
function functionForm(c: Case, precision: Precision): Finding[] {
  const form = (vg as Record<string, unknown>)[c.path];
  if (c.kind !== 'method' || typeof form !== 'function' || UNRELATED.includes(c.path)) return [];
  const output = form(...new Arguments(precision).list(c.args, c.options));
  return compareOutput('as a function', output, resultsOf(c, precision).output, precision);
}

function callModule(c: Case, args: Arguments, precision: Precision): Computed {
  const module = moduleOf(c, args);
  const keys: Finding[] = sameList('keys', [...module.stateDict().keys()], c.state ?? {});
  const inputs = args.list(c.inputs ?? [], c.callOptions);
  seeded(c);
  const call = () => (module.call as (...all: unknown[]) => unknown)(...inputs);
  for (let i = 0; i < (c.before ?? 0); i++) call();
  const output = inputs.length > 0 ? call() : undefined;
  const state = module.stateDict();
  const parameters = new Map<string, vg.Tensor>(module.namedParameters());
  const wanted = [
    ...leavesOf(args),
    ...(c.parameters ?? []).flatMap((name) => {
      const tensor = parameters.get(name);
      return tensor ? [{ name: `gradient of ${name}`, tensor, seen: (g: vg.Tensor) => g }] : [];
    }),
  ];
  const after = Object.entries(c.after ?? {}).flatMap(([name, key]) => {
    const tensor = state.get(name);
    return tensor ? [compareTensors(`${name} after`, tensor, key, precision)] : [];
  });
  const names = Object.fromEntries((c.parameters ?? []).map((name) => [name, '']));
  return {
    output,
    wanted,
    findings: [...keys, ...sameList('parameters', [...parameters.keys()], names), ...after],
  };
}

function sameList(what: string, got: string[], want: Readonly<Record<string, string>>): Finding[] {
  const keys = Object.keys(want);
  return `${got}` === `${keys}`
    ? []
    : [{ what, error: Infinity, tolerance: 0, problem: `[${got}] instead of [${keys}]` }];
}

function compareGradients(
  c: Case,
  { output: computed, wanted }: Computed,
  want: Results,
  precision: Precision,
): Finding[] {
  if (!c.gradOutputs) return [];
  const outputs: vg.Tensor[] = [];
  const gradOutputs: vg.Tensor[] = [];
  for (const [i, output] of tensorsLike(computed, want.output).entries()) {
    const key = c.gradOutputs?.[i];
    // An output of ours that knows no gradient gives zeros.
    if (!key || !output?.requiresGrad) continue;
    outputs.push(output);
    gradOutputs.push(stored(key).to(output.dtype));
  }
  const tensors = wanted.map(({ tensor }) => tensor);
  const gradients =
    outputs.length > 0
      ? vg.grad(outputs, tensors, { gradOutputs, allowUnused: true })
      : tensors.map(() => null);
  return gradients.map((gradient, i) =>
    compareGradient(
      wanted[i].name,
      gradient && wanted[i].seen(gradient),
      want.gradients?.[i] ?? null,
      precision,
    ),
  );
}

/** Computes a case and compares everything that PyTorch says of it. */
export function runCase(c: Case, precision: Precision, layout?: Layout): Outcome {
  const args = new Arguments(precision, layout);
  const want = resultsOf(c, precision);
  return vg.withDevice('cpu', () => {
    const computed =
      c.kind === 'module' ? callModule(c, args, precision) : callFunction(c, args, precision);
    const called = c.kind !== 'module' || (c.inputs ?? []).length > 0;
    const forward = called ? compareOutput('output', computed.output, want.output, precision) : [];
    return {
      forward: [...forward, ...computed.findings],
      gradient: compareGradients(c, computed, want, precision),
    };
  });
}

/** Whether a finding fails. Written so that NaN fails. */
export const differs = ({ error, tolerance, problem }: Finding): boolean =>
  problem !== undefined || !(error <= tolerance);

export const describeFinding = ({ what, error, tolerance, problem }: Finding): string =>
  `${what}: ${problem ?? `error ${error.toExponential(1)} over ${tolerance}`}`;
