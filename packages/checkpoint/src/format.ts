// What every file format offers to load() and inspect(): first a description, which costs a few
// reads, and then the tensors that are asked for and no others.

import type { Device } from '@voxgrad/core';
import type { Source } from './source.js';
import type { Topology } from './tfjs-layers/manifest.js';
import type { Loaded, LoadedKey } from './value.js';

/** The formats that have a reader. */
export type Format =
  | 'torch-zip'
  | 'torch-legacy'
  | 'torch-tar'
  | 'safetensors'
  | 'npy'
  | 'npz'
  | 'tfjs-layers';

/** A tensor of a file, as its description has it; nothing of it was read. */
export interface TensorInfo {
  /** Its key, or the steps to it joined by dots (`optimizer.state.0.exp_avg`); empty for a bare tensor. */
  readonly name: string;
  /** A dtype of this library where it has one, otherwise the name that the format uses. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** In elements; left out where the elements lie in row-major order. */
  readonly strides?: readonly number[];
  /**
   * First byte in the file and the one after the last, of all the tensor's elements; undefined where
   * they are compressed. In a folder or archive of files, of the `entry`.
   */
  readonly bytes?: readonly [begin: number, end: number];
  /** The entry of an archive, or the file beside the description, that holds the elements. */
  readonly entry?: string;
  /** Why it cannot be loaded, and what to do; undefined for tensors that can. */
  readonly unreadable?: string;
}

/** What a file holds and a load leaves out: a tensor, with its dtype and shape, or another object. */
export type Unreadable = Pick<TensorInfo, 'name' | 'unreadable'> & Partial<TensorInfo>;

export interface ReadOptions {
  readonly device: Device;
  /** See `LoadOptions.stripPrefixes`. */
  readonly stripPrefixes: boolean;
  /** Whether pickled modules are read as their state dicts; see `LoadOptions.pickledModules`. */
  readonly pickledModules: boolean;
  /** Whether to read the tensor of this name (that of its `TensorInfo`). */
  wanted(name: string): boolean;
  /** Takes note of what is left out because it cannot be represented. */
  report(entry: Unreadable): void;
}

/** Where in a value the state dict of a model is. */
export interface StateDictPlace {
  /** The keys that lead to it; none if the value is the state dict itself. */
  readonly path: readonly LoadedKey[];
  /** What the names of its tensors begin with, before their key in it. */
  readonly prefix: string;
}

/** One entry of the outermost dict or list. */
export interface OutlineEntry {
  readonly key: string;
  /** Such as `a dict of 12`, `a tensor` or `a number`. */
  readonly holds: string;
}

/** A file whose description was read. */
export interface Checkpoint {
  readonly format: Format;
  /** Every tensor in the file, in its order. */
  readonly tensors: readonly TensorInfo[];
  /** Texts beside the tensors, such as the `__metadata__` of safetensors. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The layers of the network, in formats that describe it. */
  readonly topology?: Topology;
  /** What the outermost value holds, in formats that hold more than named tensors. */
  readonly outline?: readonly OutlineEntry[];
  /** Objects other than tensors that have no counterpart here. */
  readonly unreadable?: readonly Unreadable[];
  /**
   * Finds the state dict of a model; where this is missing, the whole value is one.
   * @throws CheckpointError saying what there is instead
   */
  findStateDict?(options: Pick<ReadOptions, 'pickledModules'>): StateDictPlace;
  /** Reads the wanted tensors and puts the whole value together. */
  load(options: ReadOptions): Promise<Loaded>;
}

/** Opens a file of one format; the source stays open until the caller is done with the result. */
export type OpenFormat = (source: Source) => Promise<Checkpoint>;
