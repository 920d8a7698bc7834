// One convolution that peers run too: its operands, our results, and how far a peer's are from them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputShape, outputShape, weightShape } from '@voxgrad/core';
import type { WasmDevice } from '@voxgrad/wasm';
import type { FloatDType } from '../../packages/wasm/src/emit/lanes.js';
import { type ConvCase, operands, PASSES, type PassName, runPass } from './conv-cases.js';

export type Numbers = Float32Array | Float64Array;

export interface PeerCase extends ConvCase {
  readonly dtype: FloatDType;
  readonly shapes: { readonly x: number[]; readonly weight: number[]; readonly out: number[] };
  readonly data: ReturnType<typeof operands>;
  /** What our device computes. */
  readonly ours: Readonly<Record<PassName, Numbers>>;
}

export function peerCase(convCase: ConvCase, dtype: FloatDType, device: WasmDevice): PeerCase {
  const g = convCase.geometry;
  const data = operands(convCase, dtype);
  const results = PASSES.map((pass) => [pass, runPass(device, pass, g, data).array]);
  return {
    ...convCase,
    dtype,
    data,
    shapes: { x: [...inputShape(g)], weight: [...weightShape(g)], out: [...outputShape(g)] },
    ours: Object.fromEntries(results) as PeerCase['ours'],
  };
}

export const arrayOf = (x: PeerCase['data']['x']): Numbers => x.storage.array as Numbers;

/** Writes operands and our results to a folder for another process, and removes it afterwards. */
export async function inFolder<T>(c: PeerCase, body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-bench-'));
  try {
    writeFileSync(join(folder, 'x'), arrayOf(c.data.x));
    writeFileSync(join(folder, 'weight'), arrayOf(c.data.weight));
    writeFileSync(join(folder, 'grad'), arrayOf(c.data.gradOutput));
    for (const pass of PASSES) writeFileSync(join(folder, `our_${pass}`), c.ours[pass]);
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `1.2e-7`, or with a mark where the values are wrong. */
export const agreement = (error: number, dtype: FloatDType): string => {
  const digits = error.toExponential(1);
  return error <= (dtype === 'float64' ? 1e-11 : 1e-4) ? digits : `${digits} WRONG`;
};
