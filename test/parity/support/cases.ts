// The rows of test/fixtures/operations.*; test/oracle/README.md describes them.

import * as vg from 'voxgrad';
import { fixtureTensor, readJson, readSafetensors } from '../../../packages/core/test/fixtures.js';

/** Arguments as JSON: plain values, or the objects that `values.ts` reads. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** An output: a tensor, a list, named fields, or a plain value. */
export type Expected =
  | { readonly tensor: string; readonly float32?: vg.DType }
  | { readonly fields: Readonly<Record<string, Expected>> }
  | { readonly value: unknown }
  | readonly Expected[];

export interface Results {
  readonly output: Expected;
  readonly gradients?: readonly (string | null)[];
}

export interface Case extends Results {
  readonly family: string;
  readonly name: string;
  readonly kind: 'method' | 'function' | 'module';
  readonly path: string;
  readonly args: readonly Json[];
  readonly options?: JsonObject;
  readonly seed?: number;
  /** Why the expectation is not PyTorch's own. */
  readonly written?: string;
  /** Why only float64 is compared. */
  readonly float64Only?: string;
  readonly gradOutputs?: readonly (string | null)[];
  /** Results of the float32 run, where float64's do not serve for both. */
  readonly float32?: Results;
  // Of modules:
  readonly inputs?: readonly Json[];
  readonly callOptions?: JsonObject;
  readonly train?: boolean;
  readonly wrap?: readonly [path: string, options: JsonObject];
  /** Calls made before the one that is compared. */
  readonly before?: number;
  readonly state?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  readonly parameters?: readonly string[];
}

export const { torch: torchVersion, cases } = readJson<{ torch: string; cases: Case[] }>(
  'operations',
);

const tensors = readSafetensors('operations');

/** A fresh copy of a stored tensor in its own dtype, on the cpu: some calls write into theirs. */
export function stored(key: string): vg.Tensor {
  const { data, dtype, shape } = fixtureTensor(tensors, key);
  return vg.fromHost(data, dtype, shape, { device: 'cpu' }).clone();
}

export const TOLERANCES = { float64: 1e-12, float32: 2e-6 } as const;
export type Precision = keyof typeof TOLERANCES;
