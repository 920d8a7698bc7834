// Reading the parts of a loaded checkpoint, each with an error that names it.

import { describe, Tensor, VoxgradError } from '@voxgrad/core';

/** A checkpoint that this run cannot go on from. */
export const resumeError = (text: string): VoxgradError =>
  new VoxgradError('RESUME', `fit: cannot resume: ${text}`);

const wrong = (name: string, expected: string, value: unknown): VoxgradError =>
  resumeError(`'${name}' of the checkpoint should be ${expected}, but is ${describe(value)}`);

/** The entries of a dict. */
export function fieldsOf(name: string, value: unknown): Map<string, unknown> {
  if (!(value instanceof Map)) throw wrong(name, 'a dict', value);
  return new Map([...value].map(([key, item]) => [String(key), item]));
}

export function listOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong(name, 'a list', value);
}

export function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number') return value;
  throw wrong(name, 'a number', value);
}

export function countOf(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw wrong(name, 'a whole number from 0 on', value);
}

export function tensorOf(name: string, value: unknown): Tensor {
  if (value instanceof Tensor) return value;
  throw wrong(name, 'a tensor', value);
}

/** The bytes of a uint8 tensor. */
export function bytesOf(name: string, value: unknown): Uint8Array {
  const data = tensorOf(name, value).dataSync();
  if (data instanceof Uint8Array) return data;
  throw wrong(name, 'a tensor of bytes', value);
}

/** A tensor of numbers as a list. */
export const columnOf = (name: string, value: unknown): number[] =>
  Array.from(tensorOf(name, value).dataSync(), Number);
