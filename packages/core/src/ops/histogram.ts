// How many elements lie between given edges.

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { linspace, zeros } from '../tensor/create.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { formatShape, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { diff } from './arrange.js';
import { cast } from './cast.js';
import { sum } from './reduce.js';
import { scatterAdd } from './scatter.js';
import { searchsorted } from './search.js';
import { reshape, select } from './views.js';

/** Options of {@link histogram}. */
export interface HistogramOptions {
  /** The first and the last of evenly spaced edges: those of the elements by default. */
  range?: readonly [number, number] | null;
  /** What each element counts, in the shape of the input. */
  weight?: Tensor | null;
  /** Whether the bins sum to 1 over their widths. */
  density?: boolean;
}

/** What {@link histogram} gives: counts, and the edges of the bins. */
export interface Histogram {
  readonly hist: Tensor;
  readonly binEdges: Tensor;
}

const HISTOGRAM_OPTIONS: OptionTable<HistogramOptions> = {
  range: 'nullable',
  weight: 'nullable',
  density: true,
};

function evenEdges(x: Tensor, bins: number, range: HistogramOptions['range']): Tensor {
  if (!(Number.isInteger(bins) && bins > 0))
    throw argumentError(`torch.histogram(): bins must be > 0, but got ${bins}`);
  let [low, high] = range ?? (x.numel === 0 ? [0, 1] : [x.amin().item(), x.amax().item()]);
  if (!(Number.isFinite(low) && Number.isFinite(high)))
    throw argumentError(`torch.histogram(): range [${low}, ${high}] is not finite`);
  if (low > high)
    throw argumentError(`torch.histogram(): min ${low} should not exceed max ${high}`);
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return linspace(low, high, bins + 1, { dtype: x.dtype, device: x.device });
}

/**
 * Counts (or weights) of the elements in `bins` bins of one width, or between the sorted edges
 * `bins`, in the dtype of the input. A bin takes its lower edge, the last one its upper edge too;
 * elements outside count nowhere.
 */
export function histogram(
  input: Tensor,
  bins: number | Tensor,
  options: HistogramOptions = {},
): Histogram {
  checkCall('histogram', { input }, options, HISTOGRAM_OPTIONS);
  if (!isFloat(input.dtype))
    throw dtypeError(`"histogramdd" not implemented for '${torchName(input.dtype)}'`);
  const { range, weight, density = false } = options;
  const x = reshape(input.detach(), input.numel);
  const edges = bins instanceof Tensor ? bins : evenEdges(x, bins, range);
  if (edges.ndim !== 1 || edges.numel < 2)
    throw shapeError(
      `torch.histogram(): bins must be a vector of at least two edges, but got ${formatShape(edges.shape)}`,
    );
  if (weight && !sameShape(weight.shape, input.shape))
    throw shapeError(
      'torch.histogram(): if weight tensor is provided it should have the same shape as the input tensor ' +
        `excluding its innermost dimension, but got input with shape ${formatShape(input.shape)}, and weight ` +
        `with shape ${formatShape(weight.shape)}`,
    );
  const count = edges.numel - 1;
  const inside = x.ge(select(edges, 0, 0)).mul(x.le(select(edges, 0, -1)));
  const place = searchsorted(edges, x, { right: true })
    .sub(1)
    .clamp({ min: 0, max: count - 1 });
  const amount = weight ? cast(reshape(weight.detach(), x.numel), x.dtype) : 1;
  const counted = cast(inside, x.dtype).mul(amount);
  const hist = scatterAdd(zeros([count], { dtype: x.dtype, device: x.device }), 0, place, counted);
  return { hist: density ? hist.div(sum(hist)).div(diff(edges)) : hist, binEdges: edges };
}
