import { linspace, rand, type Tensor, tensor, where, zeros } from 'voxgrad';

/**
 * A head made of ellipsoids, as a T1 image would show it: bright white matter within grey matter within
 * dark fluid, a skull around, and noise. `image` is `[1, x, y, z]`, `labels` are int64 `[1, x, y, z]`:
 * 0 background, 1 grey, 2 white matter.
 */
export function syntheticHead(edge: number): { image: Tensor; labels: Tensor } {
  const axis = linspace(-1, 1, edge);
  const [x, y, z] = [axis.reshape(edge, 1, 1), axis.reshape(1, edge, 1), axis.reshape(1, 1, edge)];
  /** Negative within an ellipsoid of these half axes, whose surface is wavy by so much. */
  const ellipsoid = (a: number, b: number, c: number, waves = 0): Tensor => {
    const folds = x.mul(14).sin().add(y.mul(12).sin()).add(z.mul(13).sin());
    return x
      .div(a)
      .square()
      .add(y.div(b).square())
      .add(z.div(c).square())
      .sub(1)
      .add(folds.mul(waves));
  };
  const inside = (surface: Tensor) => surface.lt(0);
  const head = inside(ellipsoid(0.85, 0.95, 0.9));
  const skull = head.logicalAnd(inside(ellipsoid(0.78, 0.88, 0.83)).logicalNot());
  const grey = inside(ellipsoid(0.68, 0.78, 0.72, 0.03));
  const white = inside(ellipsoid(0.52, 0.62, 0.56, 0.1));
  const ventricles = inside(ellipsoid(0.14, 0.3, 0.18));
  const layers: [Tensor, number, number][] = [
    [head, 40, 0],
    [skull, 150, 0],
    [grey, 110, 1],
    [white, 190, 2],
    [ventricles, 30, 0],
  ];
  const paint = (of: (layer: [Tensor, number, number]) => number) =>
    layers.reduce(
      (canvas, layer) => where(layer[0], tensor(of(layer)), canvas),
      zeros([edge, edge, edge]),
    );
  const image = paint(([, brightness]) => brightness).add(rand([edge, edge, edge]).mul(24));
  return {
    image: image.unsqueeze(0),
    labels: paint(([, , label]) => label)
      .long()
      .unsqueeze(0),
  };
}
