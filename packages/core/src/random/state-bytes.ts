// The state of a generator as the bytes that PyTorch's CPU generator gives and takes
// (CPUGeneratorImplState in ATen/CPUGeneratorImpl.cpp, on a 64-bit little-endian machine):
//
//      0  uint64       the seed
//      8  int32        left, see Mt19937State
//     12  int32        whether it was seeded: 1
//     16  uint64       next
//     24  uint64[624]  the words, each in 32 of the 64 bits
//   5016  float64      x, of before PyTorch 1.3
//   5024  float64      the cached normal sample; y, of before PyTorch 1.3
//   5032  float64      rho, of before PyTorch 1.3
//   5040  int32        whether there is a sample, then 4 bytes of padding
//   5048  float32      a cached float32 sample
//   5052  bool         whether there is one, then 3 bytes of padding
//
// Older versions wrote the first 5048 bytes only, and three numbers in place of the sample.

import { argumentError } from '../errors.js';
import { sinCos } from './elementary.js';
import type { GeneratorState } from './generator.js';

const SIZE = 5056;
const LEGACY_SIZE = 5048;
const WORDS = 24;
const WORD_COUNT = 624;
const NORMAL_X = 5016;
const NORMAL_Y = 5024;
const NORMAL_RHO = 5032;
const HAS_NORMAL = 5040;
const NORMAL_32 = 5048;
const HAS_NORMAL_32 = 5052;

export function encodeState(state: GeneratorState): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZE);
  const view = new DataView(bytes.buffer);
  const { words, left, next } = state.engine;
  view.setBigUint64(0, state.seed, true);
  view.setInt32(8, left, true);
  view.setInt32(12, 1, true);
  view.setUint32(16, next, true);
  words.forEach((word, i) => {
    view.setUint32(WORDS + 8 * i, word, true);
  });
  if (state.cachedNormal !== undefined) {
    view.setFloat64(NORMAL_Y, state.cachedNormal, true);
    view.setInt32(HAS_NORMAL, 1, true);
  }
  if (state.cachedNormal32 !== undefined) {
    view.setFloat32(NORMAL_32, state.cachedNormal32, true);
    view.setUint8(HAS_NORMAL_32, 1);
  }
  return bytes;
}

/** The state in `bytes`; whether its engine can run is for `Mt19937.setState` to say. */
export function decodeState(bytes: Uint8Array): GeneratorState {
  if (bytes.length !== SIZE && bytes.length !== LEGACY_SIZE)
    throw argumentError(
      `Expected either a CPUGeneratorImplStateLegacy of size ${LEGACY_SIZE} or a CPUGeneratorImplState ` +
        `of size ${SIZE} but found the input RNG state size to be ${bytes.length}`,
    );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getInt32(12, true) === 0)
    throw argumentError('Invalid mt19937 state: it was never seeded');
  const left = view.getInt32(8, true);
  const next = Number(view.getBigUint64(16, true));
  return {
    seed: view.getBigUint64(0, true),
    engine: { words: decodeWords(view), left, next },
    cachedNormal: view.getInt32(HAS_NORMAL, true) === 0 ? undefined : decodeNormal(view),
    cachedNormal32:
      bytes.length === SIZE && view.getUint8(HAS_NORMAL_32) !== 0
        ? finite(view.getFloat32(NORMAL_32, true))
        : undefined,
  };
}

const decodeWords = (view: DataView): Uint32Array =>
  Uint32Array.from({ length: WORD_COUNT }, (_, i) => {
    const word = view.getBigUint64(WORDS + 8 * i, true);
    if (word < 2n ** 32n) return Number(word);
    throw argumentError(`Invalid mt19937 state: word ${i} is ${word}, which is more than 32 bits`);
  });

function decodeNormal(view: DataView): number {
  if (view.byteLength === SIZE) return finite(view.getFloat64(NORMAL_Y, true));
  const angle = 2 * Math.PI * view.getFloat64(NORMAL_X, true);
  if (!(angle >= 0 && angle <= 2 * Math.PI)) return finite(Number.NaN);
  return finite(view.getFloat64(NORMAL_RHO, true) * sinCos(angle).sin);
}

function finite(sample: number): number {
  if (Number.isFinite(sample)) return sample;
  throw argumentError('Invalid generator state: its cached normal sample is not a finite number');
}
