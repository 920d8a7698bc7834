// Which layers of a model the chip's own operators run, and what runs instead of the others: known
// before a job is queued, and without the chip.

import {
  argumentError,
  type ConvCall,
  type ConvCallLike,
  type ConvKernelName,
  checkOptions,
  Device,
  type DeviceLike,
  type DType,
  describe,
  describeSteps,
  getDevice,
  type OptionTable,
  plainConvCall,
  type Refusal,
  type Step,
  strategies,
  VoxgradError,
} from '@voxgrad/core';
import { checkConv } from '../checks/conv.js';
import { CONV_DTYPES } from '../checks/dtypes.js';
import type { NpuDevice } from '../device.js';
import { backwardRoute } from '../routing/route.js';
import { formatConv } from './conv-text.js';
import { type CheckedLayer, checkLayer, type PlanLayer } from './layer.js';
import { memoryOf } from './memory.js';
import { layersOf, type ModelDescription } from './model.js';
import { nativeChecks, type PlanCheck } from './native.js';
import { alternativesOf, type Remedies, remediesFor } from './remedies.js';

/** One step of a strategy. */
export interface PlanStep {
  /** `input gradient, one piece` */
  readonly what: string;
  /** The native operator that runs it (its checks hold), or null where other operations do. */
  readonly kernel: 'convForward' | 'convWeight' | 'convBackward' | null;
  /** The convolution of the step on one line; null where there is none. */
  readonly conv: string | null;
  readonly repeats: number;
  /** Memory beyond the arguments and results of the layer. */
  readonly bytes: number;
}

/** What a pass runs by, and in which steps. */
export interface Chosen {
  /** Name of a strategy; null where every one is refused. */
  readonly strategy: string | null;
  /** In the order in which they run. */
  readonly steps: readonly PlanStep[];
}

export interface LayerPlan extends Chosen {
  readonly name: string;
  /** The layer on one line, as `parseConv` reads it. */
  readonly conv: string;
  /** What comes in: `[N, C, ...spatial]`. */
  readonly input: readonly number[];
  /**
   * The call in the form that `strategies.explain` takes; for a transposed convolution, that of the
   * convolution whose adjoint it is.
   */
  readonly call: ConvCallLike & { readonly dtype: DType };
  readonly transposed: boolean;
  readonly native: {
    readonly ok: boolean;
    readonly checks: readonly PlanCheck[];
    /** The generation of operators that the backward goes to, and why. */
    readonly route: 'aclnn' | 'acl_op';
    readonly why: string;
    /** What would make it run; null where it does. */
    readonly remedies: Remedies | null;
  };
  /** `strategy` and `steps` are those of the backward; these are those of the forward. */
  readonly forward: Chosen;
  /**
   * Most memory of the layer's training step: saved tensors and gradients, or input and output, and
   * what the steps hold besides. Workspaces of the operators are not in it.
   */
  readonly memoryBytes: number;
  /** What the layer keeps from its forward to its backward. */
  readonly savedBytes: number;
}

export interface Plan {
  readonly device: string;
  readonly cann: string;
  /** The release that was named; null where `assumedTorchNpu` says what was taken. */
  readonly torchNpu: string | null;
  readonly assumedTorchNpu: string | null;
  /** Bytes of L1 per core. */
  readonly l1Bytes: number;
  readonly layers: readonly LayerPlan[];
  readonly totals: {
    readonly layers: number;
    readonly refused: number;
    /** What all layers together keep from the forward to the backward. */
    readonly savedBytes: number;
    /** The largest `memoryBytes`. */
    readonly largestBytes: number;
  };
}

export interface PlanOptions {
  /** Of layers that do not name one; float32 if omitted. */
  readonly dtype?: DType;
}

const OPTIONS: OptionTable<PlanOptions> = { dtype: true };

/**
 * For each convolution of `layers` whether the native operators of an NPU run it, which check fails and
 * by how much, what the user would see, and what runs instead.
 * @param device an `npu(…)`, or its name
 * @param layers convolutions, or a model as `describeModel` writes it
 * @throws VoxgradError for a device that is no NPU, and for layers whose sizes do not fit
 */
export function plan(
  device: DeviceLike,
  layers: readonly PlanLayer[] | ModelDescription,
  options: PlanOptions = {},
): Plan {
  const npu = npuOf(device);
  const { profile } = npu;
  checkOptions('plan', options, OPTIONS);
  const { dtype = 'float32' } = options;
  if (
    !Array.isArray(layers) &&
    !(typeof layers === 'object' && layers !== null && 'layers' in layers)
  )
    throw argumentError(
      `plan(): expected a list of layers or a model description, but got ${describe(layers)}`,
    );
  const list = 'layers' in layers ? layersOf(layers) : layers;
  const alternatives = alternativesOf(profile);
  const chip = chipOf(npu);
  // Networks repeat their layers.
  const known = new Map<string, Omit<LayerPlan, 'name'>>();
  const planned = list.map((layer): LayerPlan => {
    const checked = checkLayer(layer, dtype);
    const { name: _, ...rest } = layer;
    const key = JSON.stringify(rest);
    const found = known.get(key) ?? planLayer(checked, npu, chip, alternatives);
    known.set(key, found);
    return { name: checked.name, ...found };
  });
  const { release } = profile;
  return {
    device: npu.name,
    cann: profile.cann.version,
    torchNpu: profile.torchNpu,
    assumedTorchNpu: profile.torchNpu === null ? release.generation : release.assumed,
    l1Bytes: profile.soc.l1,
    layers: planned,
    totals: {
      layers: planned.length,
      refused: planned.filter(({ native }) => !native.ok).length,
      savedBytes: planned.reduce((sum, { savedBytes }) => sum + savedBytes, 0),
      largestBytes: planned.reduce((most, { memoryBytes }) => Math.max(most, memoryBytes), 0),
    },
  };
}

const isNpu = (device: Device): device is NpuDevice => device.type === 'npu' && 'profile' in device;

function npuOf(device: DeviceLike): NpuDevice {
  const found = getDevice(device);
  if (isNpu(found)) return found;
  throw new VoxgradError(
    'DEVICE',
    `plan(): expected an NPU, such as npu('Ascend910B1', { cann: '8.2.RC1' }), but got the device ${found.name}`,
  );
}

/**
 * The chip alone, for the registry to choose on: what its stand-in on this machine computes does not
 * matter here. Strategies ask the same of one call again and again; it is answered once.
 */
function chipOf({ name, capabilities, kernels, profile }: NpuDevice): Device {
  type Answers = Partial<Record<ConvKernelName, readonly Refusal[]>>;
  const answers = new WeakMap<ConvCall, Answers>();
  const answer = (kernel: ConvKernelName, call: ConvCall) => {
    const known = answers.get(call) ?? {};
    answers.set(call, known);
    known[kernel] ??= checkConv(kernel, call, profile);
    return known[kernel];
  };
  return new Device(name, 'npu', { ...capabilities, foreign: false, checkConv: answer }, kernels);
}

function planLayer(
  layer: CheckedLayer,
  { profile }: NpuDevice,
  chip: Device,
  alternatives: ReturnType<typeof alternativesOf>,
): Omit<LayerPlan, 'name'> {
  const { call, transposed } = layer;
  const checks = nativeChecks(layer, profile);
  const ok = checks.every((check) => check.ok);
  const route = backwardRoute(profile, call.geometry);
  const memory = memoryOf(layer);
  const parts = CONV_DTYPES.includes(call.dtype) ? chosenFor(layer, chip) : NONE;
  return {
    conv: formatConv(layer.description),
    input: layer.description.input,
    call: plainConvCall(call),
    transposed,
    native: {
      ok,
      checks,
      route: route.kind,
      why: route.why,
      remedies: ok ? null : remediesFor(layer, checks, profile, alternatives),
    },
    ...parts.backward,
    forward: parts.forward,
    memoryBytes: Math.max(
      memory.forwardBytes + most(parts.forward.steps),
      memory.backwardBytes + most(parts.backward.steps),
    ),
    savedBytes: memory.savedBytes,
  };
}

/** Steps run one after the other. */
const most = (steps: readonly PlanStep[]): number =>
  steps.reduce((largest, { bytes }) => Math.max(largest, bytes), 0);

/** No arithmetic in the dtype, so that nothing can be composed either. */
const NONE = { forward: { strategy: null, steps: [] }, backward: { strategy: null, steps: [] } };

/** What the registry would run. */
function chosenFor(
  { call, transposed }: CheckedLayer,
  chip: Device,
): { forward: Chosen; backward: Chosen } {
  const [input, weight, bias] = call.needs;
  if (!transposed) {
    const forward = chosen('conv3d.forward', call, chip);
    return { forward, backward: input || weight || bias ? chosen('conv3d', call, chip) : forward };
  }
  // The gradients of a transposed convolution are a forward one and a weight gradient.
  const own = { ...call, bias: false };
  const forward = chosen('convTranspose3d.forward', { ...own, needs: [true, false, false] }, chip);
  const parts = [
    ...(input ? [chosen('conv3d.forward', own, chip)] : []),
    ...(weight ? [chosen('conv3d', { ...own, needs: [false, true, false] }, chip)] : []),
  ];
  if (parts.length === 0) return { forward, backward: forward };
  const names = new Set(parts.map(({ strategy }) => strategy));
  return {
    forward,
    backward: {
      strategy: names.has(null) ? null : [...names].join(' and '),
      steps: parts.flatMap(({ steps }) => steps),
    },
  };
}

function chosen(op: string, call: ConvCall, chip: Device): Chosen {
  const { chosen: name } = strategies.explain(op, call, chip);
  if (name === null) return { strategy: null, steps: [] };
  const steps = describeSteps({ op, name }, call, chip.capabilities);
  return { strategy: name, steps: steps.map(stepOf) };
}

const stepOf = ({ what, kernel, call, repeats, bytes }: Step): PlanStep => ({
  what,
  kernel,
  conv: call === null ? null : formatConv(plainConvCall(call)),
  repeats,
  bytes,
});
