import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloat } from '../tensor/dtype.js';
import { normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { leading } from './operands.js';
import { sort } from './sort.js';
import { narrow, reshape } from './views.js';

/** What {@link quantile} gives between two values. */
export type Interpolation = 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';

/** How far to go from position `low` to the next, of which the exact place is a `part` away. */
const CHOICE: Record<Interpolation, (low: number, part: number) => number> = {
  linear: (_low, part) => part,
  lower: () => 0,
  higher: () => 1,
  midpoint: () => 0.5,
  nearest: (low, part) => (part > 0.5 || (part === 0.5 && low % 2 === 1) ? 1 : 0),
};

/** Options of {@link quantile}. */
export interface QuantileOptions {
  keepdim?: boolean;
  /** Between two elements: 'linear' by default. */
  interpolation?: Interpolation;
}

const QUANTILE_OPTIONS: OptionTable<QuantileOptions> = { keepdim: true, interpolation: true };

/**
 * The element a share `q` of the way through the sorted elements of `dim` (of all when omitted); a
 * vector of shares makes a new first dim. NaN gives NaN.
 */
export function quantile(
  x: Tensor,
  q: number | readonly number[] | Tensor,
  first?: number | QuantileOptions,
  more?: QuantileOptions,
): Tensor {
  const [dim, options = {}] = leading('quantile', x, QUANTILE_OPTIONS, first, more);
  if (!isFloat(x.dtype))
    throw dtypeError('quantile() input tensor must be either float or double dtype');
  const { interpolation = 'linear' } = options;
  if (!Object.hasOwn(CHOICE, interpolation))
    throw argumentError(
      'quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ' +
        interpolation,
    );
  if (x.numel === 0) throw shapeError('quantile() input tensor must be non-empty');
  const shares = q instanceof Tensor ? Array.from(q.double().dataSync(), Number) : [q].flat();
  for (const share of shares)
    if (!(share >= 0 && share <= 1))
      throw argumentError(`quantile() q must be in the range [0, 1] but got ${share}`);
  const axis = dim === undefined ? 0 : normalizeDim(dim, x.ndim);
  const kept = x.shape.map((size, d) => (dim === undefined || d === axis ? 1 : size));
  const whole = dim === undefined || x.ndim === 0 ? reshape(x, x.numel) : x;
  const { values } = sort(whole, axis);
  const nan = whole.isnan().any(axis, { keepdim: true }); // sorted, NaN comes last
  const at = (position: number) => narrow(values, axis, position, 1);
  const round = x.dtype === 'float32' ? Math.fround : (value: number) => value;
  const between = shares.map((share) => {
    // In the precision of x, as PyTorch: it decides between neighbours.
    const place = round(round(share) * (whole.shape[axis] - 1));
    const low = Math.floor(place);
    const way = CHOICE[interpolation](low, place - low);
    // Also where a single element is meant: an infinite one gives NaN, as in PyTorch.
    if (interpolation === 'linear') return at(low).lerp(at(Math.ceil(place)), way);
    if (way === 0) return at(low);
    return way === 1 ? at(Math.ceil(place)) : at(low).lerp(at(Math.ceil(place)), way);
  });
  const last = at(whole.shape[axis] - 1);
  const shape = options.keepdim ? kept : dim === undefined ? [] : x.shape.toSpliced(axis, 1);
  const rows = between.map((y) => reshape(where(nan, last, y), [1, ...shape]));
  const [head, ...rest] = rows;
  const single = q instanceof Tensor ? q.ndim === 0 : typeof q === 'number';
  return single ? reshape(head, shape) : head.cat(rest);
}
