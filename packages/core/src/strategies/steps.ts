// What a strategy would do for a call, step by step and without doing it: every convolution it asks
// the device for, how often, and what it holds in memory meanwhile.

import type { Capabilities, ConvKernelName } from '../device/device.js';
import {
  type ConvCall,
  type ConvGeometry,
  inputShape,
  outputShape,
  weightShape,
} from '../ops/conv/geometry.js';
import { bytesPerElement } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import {
  exchangedCall,
  isSpread,
  planInput,
  planWeight,
  type WeightPlan,
} from './composite-backward.js';
import { type ForwardPlan, planForward } from './composite-forward.js';
import { backwardPiece, namesOf, type Pass, planTiledBackward } from './tiled/backward.js';
import { forwardPiece, planTiledForward } from './tiled/forward.js';
import { type Piece, Pieces, type Split, wholePiece } from './tiled/pieces.js';

/** One step of a strategy, which may run for several parts of the same sizes. */
export interface Step {
  /** `input gradient, by pieces`, … */
  readonly what: string;
  /** The device's kernel that runs it, or null where other operations do. */
  readonly kernel: ConvKernelName | null;
  /** The call that the device was asked about; null where there is no convolution. */
  readonly call: ConvCall | null;
  readonly repeats: number;
  /** Bytes that one run of the step holds beyond the strategy's arguments and results. */
  readonly bytes: number;
}

/** What `describeSteps` is asked about: a strategy, or its operation and name. */
export interface StrategyName {
  readonly op: string;
  readonly name: string;
}

const bytesOf = (call: ConvCall, ...shapes: readonly (readonly number[])[]): number =>
  bytesPerElement(call.dtype) * shapes.reduce((total, shape) => total + numelOf(shape), 0);

const step = (
  what: string,
  kernel: ConvKernelName | null,
  call: ConvCall | null,
  options: { readonly repeats?: number; readonly bytes?: number } = {},
): Step => ({ what, kernel, call, repeats: options.repeats ?? 1, bytes: options.bytes ?? 0 });

// ---- pieces ----

interface PieceStep {
  readonly what: string;
  readonly kernel: ConvKernelName;
  readonly call: (geometry: ConvGeometry) => ConvCall;
  readonly bytes: (piece: Piece) => number;
}

/** A step for each different piece of a split. */
function pieceSteps(g: ConvGeometry, split: Split, of: PieceStep): Step[] {
  if (wholePiece(g, split)) return [step(of.what, of.kernel, of.call(g))];
  return Array.from(new Pieces(g).kinds(split), ({ piece, repeats }) =>
    step(`${of.what}, one piece`, of.kernel, of.call(piece.geometry), {
      repeats,
      bytes: of.bytes(piece),
    }),
  );
}

const hasMargins = ({ margins }: Piece): boolean => margins.some(([lo, hi]) => lo > 0 || hi > 0);

// ---- forward ----

const forwardPieces = (call: ConvCall, split: Split, what: string): Step[] =>
  pieceSteps(call.geometry, split, {
    what,
    kernel: 'convForward',
    call: (geometry) => forwardPiece(call, geometry),
    bytes: (piece) =>
      bytesOf(
        call,
        outputShape(piece.geometry),
        hasMargins(piece) ? inputShape(piece.geometry) : [0],
      ),
  });

function forwardSteps(plan: ForwardPlan, what: string): Step[] {
  const { step: kind, call, inner, split } = plan;
  const { geometry: g } = call;
  if (kind === 'kernel') return [step(what, 'convForward', call)];
  if (split) return forwardPieces(call, split, what);
  if (!inner) {
    const bytes = bytesOf(call, paddedShape(g), inputShape(g), outputShape(g));
    return [step(`${what}, one matrix product per tap`, null, null, { bytes })];
  }
  const steps = forwardSteps(inner, what);
  if (kind === 'pad') {
    const bytes = bytesOf(call, paddedShape(g));
    return [step('padding', null, null, { bytes }), ...steps.map((s) => holding(s, bytes))];
  }
  if (kind === 'groups') {
    const part = bytesOf(inner.call, inputShape(inner.call.geometry));
    const all = bytesOf(call, outputShape(g));
    return steps.map((s) => ({ ...holding(s, part + all), repeats: s.repeats * g.groups }));
  }
  const bytes = bytesOf(inner.call, outputShape(inner.call.geometry));
  return [
    ...steps.map((s) => holding(s, bytes)),
    step('every stride-th position of it', null, null),
  ];
}

const holding = (s: Step, bytes: number): Step => ({ ...s, bytes: s.bytes + bytes });

const paddedShape = (g: ConvGeometry): number[] => [
  g.batch,
  g.inChannels,
  ...g.input.map((size, a) => size + g.padding[a][0] + g.padding[a][1]),
];

// ---- backward ----

function inputSteps(call: ConvCall, capabilities: Capabilities): Step[] {
  const plan = planInput(call, capabilities);
  const { geometry } = plan.call;
  const spread = isSpread(call.geometry, plan.margins);
  const bytes = bytesOf(call, spread ? inputShape(geometry) : [0], weightShape(geometry));
  const what = spread
    ? 'gradient spread by the stride and padded, weight flipped'
    : 'weight flipped';
  return [
    step(what, null, null, { bytes }),
    ...forwardSteps(planForward(plan.call, capabilities), 'input gradient').map((s) =>
      holding(s, bytes),
    ),
  ];
}

function weightSteps(call: ConvCall, plan: WeightPlan): Step[] {
  const what = 'weight gradient';
  const { geometry: g } = call;
  if (plan.step === 'kernel') return [step(what, 'convWeight', call)];
  if (plan.step === 'exchange') {
    const { call: exchanged } = plan.inner;
    const bytes = bytesOf(call, ...exchangedShapes(exchanged));
    return forwardSteps(plan.inner, `${what}, batch and channels exchanged`).map((s) =>
      holding(s, bytes),
    );
  }
  if (plan.step === 'tiles')
    return pieceSteps(g, plan.split, {
      what: `${what}, batch and channels exchanged`,
      kernel: 'convForward',
      call: (geometry) => exchangedCall({ ...call, geometry }),
      bytes: (piece) =>
        bytesOf(call, ...exchangedShapes(exchangedCall({ ...call, geometry: piece.geometry }))),
    });
  const bytes = bytesOf(call, paddedShape(g), outputShape(g), outputShape(g));
  return [step(`${what}, one multiply-and-sum per tap`, null, null, { bytes })];
}

/** Copies of both arguments in the exchanged order, and the result before it is narrowed. */
const exchangedShapes = ({ geometry: g }: ConvCall): number[][] => [
  inputShape(g),
  weightShape(g),
  outputShape(g),
];

const biasStep = (): Step => step('bias gradient, a sum', null, null);

function passSteps(call: ConvCall, { kernel, needs, split }: Pass): Step[] {
  const results = (g: ConvGeometry): number[][] => [
    ...(needs[0] ? [inputShape(g)] : []),
    ...(needs[1] ? [weightShape(g)] : []),
  ];
  return pieceSteps(call.geometry, split, {
    what: namesOf(needs),
    kernel,
    call: (geometry) => backwardPiece(call, needs, geometry),
    bytes: (piece) =>
      bytesOf(
        call,
        ...results(piece.geometry),
        needs[1] && hasMargins(piece) ? inputShape(piece.geometry) : [0],
      ),
  });
}

type Describe = (call: ConvCall, capabilities: Capabilities) => Step[];

const BACKWARD: Readonly<Record<string, Describe>> = {
  fused: (call) => [step(namesOf(call.needs), 'convBackward', call)],
  composite: (call, capabilities) => [
    ...(call.needs[0] ? inputSteps(call, capabilities) : []),
    ...(call.needs[1] ? weightSteps(call, planWeight(call, capabilities)) : []),
    ...(call.needs[2] ? [biasStep()] : []),
  ],
  tiled: (call, capabilities) => {
    const plan = planTiledBackward(call, capabilities);
    if ('refusals' in plan) return [];
    return [
      ...plan.passes.flatMap((pass) => passSteps(call, pass)),
      ...(call.needs[2] ? [biasStep()] : []),
    ];
  },
};

const FORWARD: Readonly<Record<string, Describe>> = {
  fused: (call) => [step('forward', 'convForward', call)],
  composite: (call, capabilities) => forwardSteps(planForward(call, capabilities), 'forward'),
  tiled: (call, capabilities) => {
    const plan = planTiledForward(call, capabilities);
    return 'split' in plan ? forwardPieces(call, plan.split, 'forward') : [];
  },
};

/**
 * The steps of a convolution strategy for `call`, in order. A strategy that is not built in is one
 * step; one that the device does not support has none.
 * @param strategy a strategy, or its operation (`conv3d`, `conv3d.forward`,
 * `convTranspose3d.forward`) and name
 */
export function describeSteps(
  { op, name }: StrategyName,
  call: ConvCall,
  capabilities: Capabilities,
): Step[] {
  const known = op === 'conv3d.forward' ? FORWARD : BACKWARD;
  // `fused:fft` is `fused` by an algorithm.
  const [kind] = name.split(':');
  const describe = Object.hasOwn(known, kind) ? known[kind] : undefined;
  return describe ? describe(call, capabilities) : [step(name, null, call)];
}

/** The most bytes that the steps of a strategy hold at once beyond its arguments and results. */
export const extraBytes = (steps: readonly Step[]): number =>
  steps.reduce((most, { bytes }) => Math.max(most, bytes), 0);
