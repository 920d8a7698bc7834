// The three planes as radiologists look at them, whatever way the voxels of a file run: the patient's
// right on the left side of the picture, anterior to the left in sagittal slices, superior on top.

import type { Triple, VolumeInfo } from '../shared/protocol.js';

export type PlaneName = 'axial' | 'coronal' | 'sagittal';

/** An axis of the voxels along an axis of the picture. */
interface Along {
  readonly axis: 0 | 1 | 2;
  /** Whether the picture counts from the far end. */
  readonly flipped: boolean;
}

export interface Plane {
  readonly name: PlaneName;
  readonly normal: Along;
  readonly across: Along;
  readonly down: Along;
  /** What lies at the left, right, top and bottom edge. */
  readonly edges: readonly [left: string, right: string, top: string, bottom: string];
  /** Width by height of the picture, in millimetres. */
  readonly ratio: number;
}

/** For each world axis (right, anterior, superior) the voxel axis that runs along it, and its sign. */
function worldAxes({ affine }: VolumeInfo): { axis: 0 | 1 | 2; sign: number }[] {
  const orders: readonly (readonly (0 | 1 | 2)[])[] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const fit = (order: readonly number[]) =>
    order.reduce((sum, axis, world) => sum + Math.abs(affine[world][axis]), 0);
  const best = orders.reduce((a, b) => (fit(b) > fit(a) ? b : a));
  return best.map((axis, world) => ({ axis, sign: affine[world][axis] < 0 ? -1 : 1 }));
}

export function planesOf(volume: VolumeInfo): Record<PlaneName, Plane> {
  const [right, anterior, superior] = worldAxes(volume);
  const extent = ({ axis }: Along) => volume.shape[axis] * volume.spacing[axis];
  /** Along which the picture counts against the world axis. */
  const against = ({ axis, sign }: { axis: 0 | 1 | 2; sign: number }): Along => ({
    axis,
    flipped: sign > 0,
  });
  const along = ({ axis, sign }: { axis: 0 | 1 | 2; sign: number }): Along => ({
    axis,
    flipped: sign < 0,
  });
  const plane = (
    name: PlaneName,
    normal: Along,
    across: Along,
    down: Along,
    edges: Plane['edges'],
  ): Plane => ({ name, normal, across, down, edges, ratio: extent(across) / extent(down) });
  return {
    axial: plane('axial', along(superior), against(right), against(anterior), ['R', 'L', 'A', 'P']),
    coronal: plane('coronal', along(anterior), against(right), against(superior), [
      'R',
      'L',
      'S',
      'I',
    ]),
    sagittal: plane('sagittal', along(right), against(anterior), against(superior), [
      'A',
      'P',
      'S',
      'I',
    ]),
  };
}

/** Where along the picture the voxel index `at` is. */
export const toPicture = ({ axis, flipped }: Along, at: number, shape: Triple): number =>
  flipped ? shape[axis] - 1 - at : at;

/** The voxel index of the place `at` along the picture; the same arithmetic. */
export const toVoxel = toPicture;
