// Connectionist temporal classification (Graves et al. 2006, "Connectionist Temporal
// Classification: Labelling Unsegmented Sequence Data with Recurrent Neural Networks"), by the
// forward recursion over the labels with blanks between them, in logarithms.

import {
  argumentError,
  checkCall,
  fromHost,
  maximum,
  numberList,
  shapeError,
  Tensor,
  where,
} from '@voxgrad/core';
import { CTC } from './option-tables.js';
import { type LossOptions, reduceLoss } from './reduction.js';

/** Options of {@link ctcLoss}. */
export interface CtcOptions extends LossOptions {
  /** Class number of the blank. */
  blank?: number;
  /** Makes infinite losses (targets that do not fit into their input) 0. */
  zeroInfinity?: boolean;
}

type Lengths = Tensor | readonly number[];

/** Stands for log 0: its differences are finite, so that no derivative is NaN. */
const NEVER = -1e30;

/**
 * −log p(target | input), summed over all alignments. The mean divides each loss by its target
 * length first, as in PyTorch. The derivative is that of `logProbs` as given; PyTorch's takes the
 * log softmax before it for granted, and differs where there is none.
 * @param logProbs log probabilities `[T, N, C]` or `[T, C]`
 * @param targets class numbers `[N, S]`, `[S]`, or those of all samples one after another
 */
export function ctcLoss(
  logProbs: Tensor,
  targets: Tensor,
  inputLengths: Lengths,
  targetLengths: Lengths,
  options: CtcOptions = {},
): Tensor {
  checkCall('ctcLoss', { logProbs, targets }, options, CTC);
  const { blank = 0, zeroInfinity = false, reduction } = options;
  const batched = logProbs.ndim === 3;
  const steps = batched ? logProbs : logProbs.unsqueeze(1);
  if (steps.ndim !== 3)
    throw shapeError(`ctcLoss(): expected log_probs of 2 or 3 dims, but got ${logProbs.ndim}`);
  const [T, N, C] = steps.shape;
  const times = lengthsOf('input_lengths', inputLengths, N);
  const sizes = lengthsOf('target_lengths', targetLengths, N);
  if (blank < 0 || blank >= C) throw argumentError('blank must be in label range');
  for (const time of times)
    if (time > T)
      throw argumentError(
        `Expected input_lengths to have value at most ${T}, but got value ${time} (while checking arguments for ctc_loss)`,
      );
  const labels = extended(targets, sizes, blank);
  const width = labels[0]?.length ?? 1;
  const spot = (values: ArrayLike<number>, shape: readonly number[]) =>
    fromHost(BigInt64Array.from(values, BigInt), 'int64', shape, { device: logProbs.device });
  const mask = (f: (n: number, s: number) => boolean) =>
    fromHost(
      Uint8Array.from({ length: N * width }, (_, i) => +f(Math.floor(i / width), i % width)),
      'bool',
      [N, width],
      { device: logProbs.device },
    );
  // Two steps back is allowed onto a label that differs from the one before it.
  const skips = mask((n, s) => s % 2 === 1 && s > 1 && labels[n][s] !== labels[n][s - 2]);
  const starts = mask((_, s) => s < 2);
  const index = spot(labels.flat(), [N, width]);
  const emission = (t: number) => steps.select(0, t).gather(1, index);
  const back = (alpha: Tensor, by: number) =>
    alpha
      .narrow(1, 0, 1)
      .mul(0)
      .add(NEVER)
      .expand(N, by)
      .cat(alpha.narrow(1, 0, width - by), 1);
  const final = spot(
    sizes.map((size) => 2 * size),
    [N, 1],
  );
  const beforeFinal = spot(
    sizes.map((size) => Math.max(2 * size - 1, 0)),
    [N, 1],
  );
  const nonEmpty = spot(sizes, [N, 1]).gt(0);
  if (T === 0) throw shapeError('ctcLoss(): expected at least one time step');
  let alpha = where(starts, emission(0), NEVER);
  for (let t = 1; t < T; t++) {
    const one = width > 1 ? back(alpha, 1) : alpha.mul(0).add(NEVER);
    const two = width > 2 ? where(skips, back(alpha, 2), NEVER) : one.mul(0).add(NEVER);
    const next = logAdd([alpha, one, two]).add(emission(t));
    const running = spot(
      times.map((time) => +(t < time)),
      [N, 1],
    ).gt(0);
    alpha = where(running, next, alpha);
  }
  const last = where(nonEmpty, alpha.gather(1, beforeFinal), NEVER);
  const loss = logAdd([alpha.gather(1, final), last])
    .neg()
    .squeeze(1);
  const impossible = loss.gt(-NEVER / 2);
  const losses = where(impossible, zeroInfinity ? 0 : Number.POSITIVE_INFINITY, loss);
  if (reduction === 'sum') return losses.sum();
  if (reduction === 'none') return batched ? losses : losses.squeeze(0);
  const counts = spot(sizes, [N]).clamp({ min: 1 }).to(losses.dtype);
  return reduceLoss(losses.div(counts), reduction);
}

/** log Σ exp, finite for `NEVER`. */
function logAdd(terms: readonly Tensor[]): Tensor {
  const peak = terms.map((x) => x.detach()).reduce((a, b) => maximum(a, b));
  return terms
    .map((x) => x.sub(peak).exp())
    .reduce((a, b) => a.add(b))
    .log()
    .add(peak);
}

function lengthsOf(name: string, lengths: Lengths, batch: number): number[] {
  if (!(lengths instanceof Tensor)) numberList('ctcLoss', name, lengths);
  const list = lengths instanceof Tensor ? Array.from(lengths.dataSync(), Number) : [...lengths];
  if (list.length !== batch)
    throw shapeError(`${name} must be of size batch_size, ${batch}, but got ${list.length}`);
  return list;
}

/** Each target with a blank before, between and after its labels, all filled up to one length. */
function extended(targets: Tensor, sizes: readonly number[], blank: number): number[][] {
  const flat = Array.from(targets.dataSync(), Number);
  const longest = Math.max(0, ...sizes);
  const padded = targets.ndim > 1;
  const row = padded ? targets.shape[1] : 0;
  if (padded && longest > row)
    throw argumentError(
      `Expected tensor to have size at least ${longest} at dimension 1, but got size ${row} for argument #2 'targets' (while checking arguments for ctc_loss)`,
    );
  let at = 0;
  return sizes.map((size, n) => {
    const start = padded ? n * row : at;
    at += size;
    const labels = flat.slice(start, start + size);
    return Array.from({ length: 2 * longest + 1 }, (_, s) =>
      s % 2 === 1 && s < 2 * size ? labels[(s - 1) / 2] : blank,
    );
  });
}
