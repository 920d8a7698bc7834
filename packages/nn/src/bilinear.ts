import { formatShape, requireTensors, sameShape, shapeError, type Tensor } from '@voxgrad/core';

/**
 * y[…, o] = Σ x1[…, i]·weight[o, i, j]·x2[…, j] + bias[o]
 * @param weight `[out, in1, in2]`
 */
export function bilinear(x1: Tensor, x2: Tensor, weight: Tensor, bias?: Tensor | null): Tensor {
  requireTensors('bilinear', { x1, x2, weight });
  if (x1.ndim !== x2.ndim)
    throw shapeError(`bilinear(): input dimensions do not match: got ${x1.ndim} and ${x2.ndim}`);
  const batch = x1.shape.slice(0, -1);
  batch.forEach((size, d) => {
    if (size !== x2.shape[d])
      throw shapeError(
        `bilinear(): input batch dimensions do not match at dim ${d}: got ${size} and ${x2.shape[d]}`,
      );
  });
  const [out, in1, in2] = weight.shape;
  for (const [name, x, size] of [
    ['input1', x1, in1],
    ['input2', x2, in2],
  ] as const)
    if (x.shape.at(-1) !== size)
      throw shapeError(
        `bilinear(): ${name} size does not match weight size: got ${x.shape.at(-1)} but expected ${size}`,
      );
  if (bias && !sameShape(bias.shape, [out]))
    throw shapeError(
      `bilinear(): bias size does not match weight size: got ${formatShape(bias.shape)} but expected ${out}`,
    );
  const left = x1.reshape(-1, in1);
  // [N, in1] × [in1, out·in2], then the sum over in2.
  const mixed = left.matmul(weight.permute(1, 0, 2).reshape(in1, out * in2)).reshape(-1, out, in2);
  const y = mixed
    .mul(x2.reshape(-1, 1, in2))
    .sum(2)
    .reshape([...batch, out]);
  return bias ? y.add(bias) : y;
}
