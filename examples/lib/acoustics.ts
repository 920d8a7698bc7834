// What an acoustic finite-difference simulation in two dimensions is made of.

import { linspace, type Tensor, tensor } from 'voxgrad';

/** Second derivatives of fourth order, as the weight of a convolution. `[1, 1, 5, 5]` */
export const LAPLACIAN: Tensor = tensor([
  [0, 0, -1 / 12, 0, 0],
  [0, 0, 4 / 3, 0, 0],
  [-1 / 12, 4 / 3, -5, 4 / 3, -1 / 12],
  [0, 0, 4 / 3, 0, 0],
  [0, 0, -1 / 12, 0, 0],
]).reshape(1, 1, 5, 5);

/** A factor below 1 near the sides, through which sound leaves. `[edge, edge]` */
export function sponge(edge: number, width: number): Tensor {
  const away = linspace(0, edge - 1, edge).minimum(linspace(edge - 1, 0, edge));
  const fade = away.sub(width).clamp({ max: 0 }).mul(0.03).square().neg().exp();
  return fade.unsqueeze(0).mul(fade.unsqueeze(1));
}

/** The Ricker wavelet of a frequency in hertz, at a time in seconds; it begins at 0. */
export function ricker(time: number, frequency: number): number {
  const t = (Math.PI * (frequency * time - 1)) ** 2;
  return (1 - 2 * t) * Math.exp(-t);
}

/** exp(−distance² / radius²) about a place, where the sides are −1 and 1. `[edge, edge]` */
export function lens(edge: number, x: number, y: number, radius: number): Tensor {
  const axis = linspace(-1, 1, edge).div(radius);
  const [dx, dy] = [axis.sub(x / radius).square(), axis.sub(y / radius).square()];
  return dx.unsqueeze(0).add(dy.unsqueeze(1)).neg().exp();
}
