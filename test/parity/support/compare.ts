import * as vg from 'voxgrad';
import { type Expected, type Precision, stored, TOLERANCES } from './cases.js';

/** One comparison: how far off, and how far it may be. */
export interface Finding {
  readonly what: string;
  readonly error: number;
  readonly tolerance: number;
  /** Set where more than numbers differ: shape, dtype, kind of value. */
  readonly problem?: string;
}

const numbersOf = (x: vg.Tensor): ArrayLike<number | bigint> =>
  x.detach().contiguous().dataSync() as ArrayLike<number | bigint>;

/**
 * max|a − b| / max(1, max|b|) over finite b; infinity where anything else differs. With `loose`, any
 * value that is not finite stands for any other: which one a gradient beside a pole gets depends on
 * the order of its factors.
 */
export function relativeError(a: vg.Tensor, b: vg.Tensor, loose = false): number {
  const [x, y] = [numbersOf(a), numbersOf(b)];
  let [worst, scale] = [0, 1];
  for (let i = 0; i < y.length; i++) {
    if (typeof y[i] === 'bigint' && x[i] !== y[i]) return Number.POSITIVE_INFINITY;
    const [p, q] = [Number(x[i]), Number(y[i])];
    if (Number.isFinite(q)) scale = Math.max(scale, Math.abs(q));
    if (p === q || (Number.isNaN(p) && Number.isNaN(q))) continue;
    if (loose && !Number.isFinite(p) && !Number.isFinite(q)) continue;
    const difference = Math.abs(p - q);
    worst = Math.max(worst, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference);
  }
  return worst / scale;
}

const failed = (what: string, problem: string): Finding => ({
  what,
  error: Number.POSITIVE_INFINITY,
  tolerance: 0,
  problem,
});

const shown = (value: unknown) => (value instanceof vg.Tensor ? `tensor [${value.shape}]` : value);

/** Compares tensors of equal shape: exactly for whole numbers, else within the dtype's tolerance. */
export function compareTensors(
  what: string,
  got: vg.Tensor,
  key: string,
  precision: Precision,
  looseInfinities = false,
): Finding {
  const want = stored(key);
  if (`${got.shape}` !== `${want.shape}`)
    return failed(what, `shape [${got.shape}] instead of [${want.shape}]`);
  const loose = precision === 'float32' || want.dtype === 'float32';
  const tolerance = vg.isFloat(want.dtype) ? TOLERANCES[loose ? 'float32' : 'float64'] : 0;
  return { what, error: relativeError(got, want, looseInfinities), tolerance };
}

function compareDtype(
  what: string,
  got: vg.Tensor,
  want: { tensor: string; float32?: vg.DType },
  precision: Precision,
): Finding[] {
  const wide = stored(want.tensor).dtype;
  const narrow = want.float32 ?? (wide === 'float64' ? 'float32' : wide);
  const dtype = precision === 'float64' ? wide : narrow;
  return got.dtype === dtype ? [] : [failed(what, `dtype ${got.dtype} instead of ${dtype}`)];
}

/** Compares an output with all its parts. */
export function compareOutput(
  what: string,
  got: unknown,
  want: Expected,
  precision: Precision,
): Finding[] {
  if ('tensor' in want) {
    if (!(got instanceof vg.Tensor)) return [failed(what, `${shown(got)} instead of a tensor`)];
    const found = compareTensors(what, got, want.tensor, precision);
    return [found, ...compareDtype(what, got, want, precision)];
  }
  if ('value' in want) {
    const same = got === want.value || (want.value === null && got === undefined);
    return same ? [] : [failed(what, `${shown(got)} instead of ${want.value}`)];
  }
  const parts = Object.entries('fields' in want ? want.fields : want);
  const holder = got as Record<string, unknown> | undefined;
  if (typeof holder !== 'object' || holder === null || holder instanceof vg.Tensor)
    return [
      failed(what, `${shown(got)} instead of {${parts.map(([name]) => name)}} or a list of these`),
    ];
  const count = Array.isArray(want) && Array.isArray(got) ? got.length : parts.length;
  if (count !== parts.length) return [failed(what, `${count} parts instead of ${parts.length}`)];
  return parts.flatMap(([name, part]) =>
    compareOutput(`${what}.${name}`, holder[name], part, precision),
  );
}

/** Compares a gradient; PyTorch's None and a gradient of zeros are the same. */
export function compareGradient(
  what: string,
  got: vg.Tensor | null,
  key: string | null,
  precision: Precision,
): Finding {
  if (got !== null && key !== null) return compareTensors(what, got, key, precision, true);
  const present = got ?? (key === null ? null : stored(key));
  if (present === null) return { what, error: 0, tolerance: 0 };
  return { what, error: relativeError(present, vg.zerosLike(present)), tolerance: 0 };
}

/** The tensors of an output in the order of PyTorch's; undefined where ours has none. */
export function tensorsLike(got: unknown, want: Expected): (vg.Tensor | undefined)[] {
  if ('tensor' in want) return [got instanceof vg.Tensor ? got : undefined];
  if ('value' in want) return [];
  const parts = Object.entries('fields' in want ? want.fields : want);
  const holder = (got ?? {}) as Record<string, unknown>;
  return parts.flatMap(([name, part]) => tensorsLike(holder[name], part));
}
