// What passes between the page and the engine in its worker. Volumes are row-major `[x, y, z]`: the
// element (x, y, z) stands at `(x · Y + y) · Z + z`.

export type Triple<T = number> = readonly [x: T, y: T, z: T];

/** Where kernels run: `wasm` on all threads that there are, on one, or the reference loops. */
export type DeviceChoice = 'wasm' | 'wasm-1' | 'cpu';

export type StrategyChoice = 'auto' | 'fused' | 'composite' | 'tiled';

export interface EngineChoice {
  readonly device: DeviceChoice;
  readonly forward: StrategyChoice;
  readonly backward: StrategyChoice;
}

/** What this browser gives the engine. */
export interface Environment {
  readonly isolated: boolean;
  readonly cores: number;
  readonly threads: number;
  readonly webgpu: boolean;
  readonly keepsSessions: boolean;
}

export interface VolumeInfo {
  readonly name: string;
  readonly shape: Triple;
  /** Millimetres, or the unit of the file. */
  readonly spacing: Triple;
  readonly unit: string;
  /** 4 × 4, from voxel indices to right, anterior, superior. */
  readonly affine: readonly (readonly number[])[];
  /** Element type in the file. */
  readonly type: string;
  /** What the page should say about how it was read; empty for nothing. */
  readonly note: string;
  /** Grey values for display. */
  readonly grey: Uint8Array;
}

/** How a plain chain of convolutions is made of the weights of a state dict. */
export interface NetworkDescription {
  readonly name: string;
  /** One for each convolution, in the order of the state dict. */
  readonly dilations: readonly number[];
  readonly activation: Activation;
  /** How voxels become inputs. */
  readonly normalize: Normalization;
  /** Names of the classes. */
  readonly classes: readonly string[];
}

export const ACTIVATIONS = ['relu', 'leaky_relu', 'elu', 'gelu', 'none'] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** `max`: voxel / largest voxel; `minmax`: to [0, 1]; `zscore`: mean 0, deviation 1. */
export const NORMALIZATIONS = ['max', 'minmax', 'zscore', 'none'] as const;
export type Normalization = (typeof NORMALIZATIONS)[number];

export interface LayerInfo {
  readonly name: string;
  readonly text: string;
}

export interface NetworkInfo {
  readonly name: string;
  readonly layers: readonly LayerInfo[];
  readonly parameters: number;
  readonly classes: readonly string[];
  /** Voxels along an axis that an output depends on. */
  readonly receptiveField: number;
  readonly description: NetworkDescription;
  /** What no state dict says and was therefore assumed. */
  readonly assumed: readonly string[];
  readonly steps: number;
}

export type Opened =
  | { readonly kind: 'volume'; readonly volume: VolumeInfo }
  | { readonly kind: 'network'; readonly network: NetworkInfo };

export interface SegmentOptions {
  /** `auto` takes the whole volume at once where its activations fit. */
  readonly mode: 'auto' | 'whole' | 'windows';
  readonly windowSize: number;
  readonly overlap: number;
}

export interface Segmentation {
  readonly labels: Uint8Array;
  readonly counts: readonly number[];
  readonly seconds: number;
  /** How it was done, to be read. */
  readonly how: string;
  readonly ran: readonly RanLayer[];
}

export interface TrainOptions {
  readonly steps: number;
  readonly learningRate: number;
  readonly patch: number;
  /** Weight of keeping unpainted voxels at the segmentation; 0 leaves them free. */
  readonly hold: number;
}

/** A part of the labels that changed. */
export interface LabelPatch {
  readonly start: Triple;
  readonly size: Triple;
  readonly labels: Uint8Array;
}

export interface TrainReport {
  /** Losses since the last report. */
  readonly losses: readonly number[];
  /** Steps of this network, over all runs. */
  readonly step: number;
  readonly msPerStep: number;
  readonly memoryBytes: number;
  readonly patch: LabelPatch | null;
  /** With the first report: what ran for each layer. */
  readonly ran: readonly RanLayer[] | null;
}

/** One convolution as it ran. */
export interface RanLayer {
  readonly layer: string;
  readonly pass: 'forward' | 'backward';
  readonly strategy: string;
  readonly device: string;
  readonly call: string;
  readonly times: number;
  /** Why this one. */
  readonly reasons: readonly string[];
  readonly considered: readonly ConsideredStrategy[];
}

export interface ConsideredStrategy {
  readonly name: string;
  readonly ok: boolean;
  readonly cost: number;
  readonly reasons: readonly string[];
}

/** Voxels painted at once. */
export interface Stroke {
  readonly at: Uint32Array;
  /** 1 + class of each; 0 takes paint away. */
  readonly value: Uint8Array;
}

/** A kept session, as the page offers it. */
export interface SavedSession {
  readonly id: string;
  readonly savedAt: number;
  readonly volume: string;
  readonly network: string;
  readonly steps: number;
  readonly painted: number;
}

export interface Restored {
  readonly volume: VolumeInfo;
  readonly network: NetworkInfo | null;
  readonly painted: Stroke;
  readonly losses: readonly number[];
}
