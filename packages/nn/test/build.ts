// Modules as the fixtures describe them: PyTorch's class name, positional arguments, options.

import { type DType, getDefaultDtype, setDefaultDtype } from '@voxgrad/core';
import * as nn from '../src/index.js';

export interface ModuleRow {
  readonly module: string;
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

type Constructor = new (...args: unknown[]) => nn.Module;

const TYPES = new Map(Object.entries(nn as unknown as Record<string, Constructor>));

const typed = (options: object, dtype?: DType) => (dtype ? { ...options, dtype } : options);

export function build(row: ModuleRow, place: { dtype?: DType } = {}): nn.Module {
  const Type = TYPES.get(row.module);
  if (!Type) throw new Error(`voxgrad has no module ${row.module}`);
  const options = typed(row.options, place.dtype);
  // Layers without options refuse an object of none.
  return Object.keys(options).length > 0 ? new Type(...row.args, options) : new Type(...row.args);
}

/** Layers without parameters take no dtype, so the default dtype stands for it. */
export function buildSequential(rows: readonly ModuleRow[], dtype: DType): nn.Sequential {
  const before = getDefaultDtype();
  setDefaultDtype(dtype);
  try {
    return new nn.Sequential(...rows.map((row) => build(row)));
  } finally {
    setDefaultDtype(before);
  }
}
