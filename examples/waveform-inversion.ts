// Acoustic full waveform inversion on a toy model: how fast sound is in the ground, from what receivers
// record. The loss is the difference of two recordings, and its gradient goes back through every time
// step. `checkpoint` keeps the pressure only between stretches of steps and computes the rest again.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cat, checkpoint, F, full, noGrad, optim, stack, type Tensor, zeros } from 'voxgrad';
import { LAPLACIAN, lens, ricker, sponge } from './lib/acoustics.js';
import { figure, lines, picture } from './lib/figure.js';
import { shade } from './lib/pixels.js';

/** `stretch`: time steps between the pressures that are kept; `times` keeps everything. */
export const options = { steps: 40, times: 240, stretch: 20, edge: 48, shots: 6 };

const SPACING = 10; // metres between points
const INTERVAL = 0.002; // seconds between time steps
const FREQUENCY = 12; // hertz, of the sources
const SPONGE = 8; // points along each side; sources and receivers are where it ends

/** Where each shot is fired, by turns along the top and along the left side: `[shots, 1, edge, edge]`. */
function sources(shots: number, edge: number): Tensor {
  const at = zeros([shots, 1, edge, edge]);
  for (let shot = 0; shot < shots; shot++) {
    const along = SPONGE + Math.floor(((shot + 0.5) * (edge - 2 * SPONGE)) / shots);
    const [row, column] = shot % 2 === 0 ? [SPONGE, along] : [along, SPONGE];
    at.select(0, shot).select(1, row).select(1, column).fill_(1);
  }
  return at;
}

/** Recordings `[shots, times, 2·edge]`, at the bottom and the right, for velocities `[edge, edge]` in m/s. */
function record(velocity: Tensor, { times, stretch, edge, shots }: typeof options): Tensor {
  const factor = velocity.mul(INTERVAL / SPACING).square();
  const fade = sponge(edge, SPONGE);
  const source = sources(shots, edge);
  const last = edge - 1 - SPONGE;

  /** Pressures one step ago and now → those `count` steps later, and what was recorded. */
  const advance = (from: number, count: number) => (before: Tensor, now: Tensor) => {
    const recorded: Tensor[] = [];
    let [past, present] = [before, now];
    for (let step = from; step < from + count; step++) {
      const change = F.conv2d(present, LAPLACIAN, null, { padding: 2 }).mul(factor);
      const pushed = source.mul(ricker(step * INTERVAL, FREQUENCY));
      const next = present.mul(2).sub(past).add(change).add(pushed).mul(fade);
      [past, present] = [present.mul(fade), next];
      recorded.push(cat([next.select(2, last), next.select(3, last)], 2).squeeze(1));
    }
    return [past, present, stack(recorded, 1)];
  };

  let [past, present] = [zeros(source.shape), zeros(source.shape)];
  const parts: Tensor[] = [];
  for (let from = 0; from < times; from += stretch) {
    const run = advance(from, Math.min(stretch, times - from));
    const [p, q, part] = checkpoint(run, past, present);
    [past, present] = [p, q];
    parts.push(part);
  }
  return cat(parts, 1);
}

export default async function run(chosen: typeof options, folder: string) {
  const { edge, steps, times } = chosen;
  const start = full([edge, edge], 2000);
  const fast = lens(edge, -0.2, -0.15, 0.25).mul(300);
  const slow = lens(edge, 0.25, 0.25, 0.2).mul(250);
  const truth = start.add(fast).sub(slow);
  const observed = noGrad(() => record(truth, chosen));

  const velocity = start.clone().requiresGrad_();
  const optimizer = new optim.Adam([velocity], { lr: 20 });
  const schedule = new optim.lrScheduler.CosineAnnealingLR(optimizer, steps);
  const known = sponge(edge, SPONGE + 2).eq(1); // the sides stay as they are
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    optimizer.zeroGrad();
    const loss = record(velocity, chosen).sub(observed).square().mean();
    loss.backward();
    velocity.grad = velocity.grad?.mul(known) ?? null;
    optimizer.step();
    schedule.step();
    losses.push(Number(loss.item()));
    if (step % 10 === 0) console.log(`step ${step}: misfit ${losses[step].toExponential(2)}`);
  }
  const found = velocity.detach();
  const errors = [start, found].map((v) => Number(v.sub(truth).square().mean().sqrt().item()));
  const [first, now] = errors.map((error) => error.toFixed(0));
  console.log(`root mean square error: ${first} m/s at the start, ${now} m/s now`);

  const map = (title: string, v: Tensor) =>
    picture(title, shade(v, { palette: 'viridis', range: [1750, 2300] }));
  const heard = observed
    .select(0, 0)
    .narrow(1, 0, edge)
    .slice(0, 0, times, Math.ceil(times / edge));
  const panels = [
    map('True velocity', truth),
    map('Found from recordings', found),
    picture('A recording (time downwards)', shade(heard, { palette: 'seismic', range: [-1, 1] })),
    lines('Misfit', { misfit: losses }, { x: 'step', log: true }),
  ];
  const file = join(folder, 'inversion.svg');
  await writeFile(file, figure(panels, 2));
  return { picture: file, losses, errors };
}
