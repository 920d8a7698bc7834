import { linspace, type Tensor } from 'voxgrad';

/** Functions of the place that are negative within a solid; the cube from −1.5 to 1.5 holds them. */
const SOLIDS = {
  ball: (x: Tensor, y: Tensor, z: Tensor) => norm(x, y, z).sub(0.9),
  box: (x: Tensor, y: Tensor, z: Tensor) => largest(x, y, z).sub(0.75),
  ring: (x: Tensor, y: Tensor, z: Tensor) => norm(norm(x, y).sub(0.75), z).sub(0.25),
  cross: (x: Tensor, y: Tensor, z: Tensor) =>
    bar(x, y, z)
      .minimum(bar(y, z, x))
      .minimum(bar(z, x, y)),
};

export const NAMES = Object.keys(SOLIDS) as readonly (keyof typeof SOLIDS)[];

const norm = (...parts: Tensor[]): Tensor =>
  parts
    .map((part) => part.square())
    .reduce((a, b) => a.add(b))
    .sqrt();
const largest = (...parts: Tensor[]): Tensor =>
  parts.map((part) => part.abs()).reduce((a, b) => a.maximum(b));
const bar = (along: Tensor, ...across: Tensor[]): Tensor =>
  largest(along, ...across.map((part) => part.mul(4))).sub(1);

/** One of the solids, upright in the middle: 1 within, 0 without. `[1, edge, edge, edge]` */
export function solid(name: keyof typeof SOLIDS, edge: number): Tensor {
  const axis = linspace(-1.5, 1.5, edge);
  const [x, y, z] = [
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
  ].map((shape) => axis.reshape(shape));
  return SOLIDS[name](x, y, z).lt(0).float().unsqueeze(0);
}
