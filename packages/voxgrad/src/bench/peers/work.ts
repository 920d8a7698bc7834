// What peers are given to compute, as plain data that crosses to another process, and what they answer.
// Numbers travel as files of raw float32 in one folder: input `x`, weights `w0`, `w1`, …, the gradient of
// the output (or the target) `g`; what a peer computed is written there as `<peer>.<name>`.

/** A convolution: forward, or forward and both gradients. */
export interface ConvWork {
  readonly kind: 'conv';
  /** [N, C, D, H, W] */
  readonly input: readonly number[];
  /** [Co, Ci / groups, kD, kH, kW] */
  readonly weight: readonly number[];
  readonly output: readonly number[];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly groups: number;
}

/** One layer of a network, in the order in which they run. */
export type Layer =
  | {
      readonly op: 'conv';
      readonly in: number;
      readonly out: number;
      readonly kernel: number;
      readonly stride?: number;
      readonly padding?: number;
      readonly dilation?: number;
      readonly groups?: number;
    }
  /** Transposed convolution of stride `kernel`. */
  | { readonly op: 'upConv'; readonly in: number; readonly out: number; readonly kernel: number }
  | { readonly op: 'batchNorm'; readonly channels: number }
  | { readonly op: 'relu' }
  | { readonly op: 'maxPool'; readonly size: number }
  /** Keeps what stands here for a `join` further on. */
  | { readonly op: 'keep'; readonly as: string }
  /** Joins what was kept behind the channels that stand here. */
  | { readonly op: 'join'; readonly with: string };

/** A network: inference, or a training step (cross entropy of the channels against classes, Adam). */
export interface NetWork {
  readonly kind: 'net';
  readonly layers: readonly Layer[];
  readonly input: readonly number[];
  readonly output: readonly number[];
}

export type Work = ConvWork | NetWork;

/** `train`: forward and gradients of a convolution, a step of a network. */
export const PASSES = ['forward', 'train'] as const;
export type Pass = (typeof PASSES)[number];

export interface Weight {
  readonly shape: readonly number[];
  /** Of the numbers that it is drawn from. */
  readonly spread: number;
  /** Added to what is drawn. */
  readonly mean: number;
}

const volume = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Weights in the order of files: of each layer its weight, then its bias. */
export function weightsOf(work: Work): Weight[] {
  if (work.kind === 'conv') return [kernel(work.weight)];
  return work.layers.flatMap((layer): Weight[] => {
    if (layer.op === 'conv') {
      const { in: from, out, kernel: k, groups = 1 } = layer;
      const weight = kernel([out, from / groups, k, k, k]);
      return [weight, { shape: [out], spread: weight.spread, mean: 0 }];
    }
    if (layer.op === 'upConv') {
      const { in: from, out, kernel: k } = layer;
      const spread = 1 / Math.sqrt(from);
      return [
        { shape: [from, out, k, k, k], spread, mean: 0 },
        { shape: [out], spread, mean: 0 },
      ];
    }
    if (layer.op === 'batchNorm')
      return [
        { shape: [layer.channels], spread: 0.5, mean: 1 },
        { shape: [layer.channels], spread: 0.5, mean: 0 },
      ];
    return [];
  });
}

/** Kaiming's spread for a leaky slope of √5, as layers begin with: outputs as large as inputs. */
function kernel(shape: readonly number[]): Weight {
  return { shape, spread: 1 / Math.sqrt(volume(shape.slice(1)) / 3), mean: 0 };
}

/** What each pass computes, by the names of its files. */
export const resultsOf = (work: Work, pass: Pass): string[] =>
  pass === 'forward'
    ? ['y']
    : work.kind === 'conv'
      ? ['y', 'dx', 'dw0']
      : weightsOf(work).map((_, i) => `dw${i}`);

/** Lines of JSON to a peer; each has one answer. */
export type Command =
  | { readonly do: 'load'; readonly work: Work; readonly folder: string; readonly threads: number }
  | { readonly do: 'run'; readonly pass: Pass }
  /** Writes what the pass computes (`resultsOf`) to the folder, gradients before any step. */
  | { readonly do: 'write'; readonly pass: Pass };

export type Answer =
  /** It cannot run such work, and why. */
  | { readonly refused: string }
  | { readonly version: string; readonly passes: readonly Pass[] }
  | { readonly ms: number }
  | { readonly written: true };
