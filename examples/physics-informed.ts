// A network solves Poisson's equation −Δu = f in the unit cube, u = 0 on its surface. It never sees u:
// its loss is how far its own second derivatives are from f. For this f the solution is known, and is
// compared at the end: u = sin πx · sin πy · sin 2πz.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  grad,
  linspace,
  manualSeed,
  meshgrid,
  nn,
  noGrad,
  optim,
  rand,
  stack,
  type Tensor,
} from 'voxgrad';
import { figure, lines, picture } from './lib/figure.js';
import { shade } from './lib/pixels.js';

export const options = { steps: 600, points: 256, width: 32, seed: 1 };

/** Columns of points `[N, 3]`. */
const columns = (points: Tensor): Tensor[] => points.unbind(1);

/** `[N, 3]` → `[N]` */
function solution(points: Tensor): Tensor {
  const [x, y, z] = columns(points.mul(Math.PI));
  return x.sin().mul(y.sin()).mul(z.mul(2).sin());
}

/** The source that belongs to the solution: −Δu = (1 + 1 + 4) π² u. `[N, 3]` → `[N]` */
const source = (points: Tensor): Tensor => solution(points).mul(6 * Math.PI ** 2);

/** Zero on the surface whatever the weights are: `[N, 3]` → `[N]`. */
class Field extends nn.Module {
  layers: nn.Sequential;

  constructor(width: number) {
    super();
    this.layers = new nn.Sequential(
      new nn.Linear(3, width),
      new nn.Tanh(),
      new nn.Linear(width, width),
      new nn.Tanh(),
      new nn.Linear(width, 1),
    );
  }

  forward(points: Tensor): Tensor {
    const inside = points.mul(points.neg().add(1)).prod(1).mul(64); // 64 x(1−x) y(1−y) z(1−z)
    return this.layers.call(points.mul(2).sub(1)).squeeze(1).mul(inside);
  }
}

/** Δu at each point `[N, 3]`, itself differentiable: `[N]`. */
function laplacian(field: Field, points: Tensor): Tensor {
  const u = field.call(points);
  const [slope] = grad(u.sum(), points, { createGraph: true }); // ∂u/∂x, ∂u/∂y, ∂u/∂z: [N, 3]
  const second = columns(slope as Tensor).map((du, axis) => {
    const [row] = grad(du.sum(), points, { createGraph: true });
    return (row as Tensor).select(1, axis);
  });
  return second.reduce((a, b) => a.add(b));
}

export default async function run({ steps, points, width, seed }: typeof options, folder: string) {
  manualSeed(seed);
  const field = new Field(width);
  const optimizer = new optim.Adam(field.parameters(), { lr: 1e-2 });
  const schedule = new optim.lrScheduler.CosineAnnealingLR(optimizer, steps);
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const at = rand([points, 3]).requiresGrad_();
    optimizer.zeroGrad();
    const loss = laplacian(field, at).add(source(at)).square().mean();
    loss.backward(); // a third derivative: of the second ones with respect to the weights
    optimizer.step();
    schedule.step();
    losses.push(Number(loss.item()));
    if (step % 100 === 0)
      console.log(`step ${step}: mean square residual ${losses[step].toFixed(2)}`);
  }

  // The slice y = 1/2.
  const edge = 60;
  const [x, z] = meshgrid([linspace(0, 1, edge), linspace(0, 1, edge)]);
  const slice = stack([x.flatten(), x.flatten().mul(0).add(0.5), z.flatten()], 1);
  const found = noGrad(() => field.call(slice)).reshape(edge, edge);
  const right = solution(slice).reshape(edge, edge);
  const error = Number(found.sub(right).square().mean().sqrt().item());
  console.log(`root mean square error ${error.toFixed(4)} where u reaches from −1 to 1`);

  const range = [-1, 1] as const;
  const panels = [
    picture('The network', shade(found, { palette: 'seismic', range })),
    picture('The solution', shade(right, { palette: 'seismic', range })),
    picture('Difference × 100', shade(found.sub(right).mul(100), { palette: 'seismic', range })),
    lines('Mean square residual', { residual: losses }, { x: 'step', log: true }),
  ];
  const file = join(folder, 'poisson.svg');
  await writeFile(file, figure(panels, 2));
  return { picture: file, losses, error };
}
