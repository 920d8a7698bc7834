// What the slices show, and the paint on it.

import type { LabelPatch, Stroke, Triple, VolumeInfo } from '../shared/protocol.js';

export type Tool = 'look' | 'paint' | 'erase';

export class Scene {
  volume: VolumeInfo | null = null;
  labels: Uint8Array | null = null;
  /** 1 + class where it is painted. */
  painted = new Uint8Array(0);
  paintedCount = 0;
  cross: Triple = [0, 0, 0];
  tool: Tool = 'look';
  /** Class to paint. */
  brushClass = 1;
  /** Voxels around the centre. */
  brushRadius = 3;
  opacity = 0.55;
  readonly #undo: Stroke[] = [];
  readonly #changed: () => void;
  readonly #stroked: (stroke: Stroke) => void;

  /** `changed` is called when slices must be drawn, `stroked` when paint has changed. */
  constructor(changed: () => void, stroked: (stroke: Stroke) => void) {
    this.#changed = changed;
    this.#stroked = stroked;
  }

  use(volume: VolumeInfo): void {
    this.volume = volume;
    this.labels = null;
    this.painted = new Uint8Array(volume.grey.length);
    this.paintedCount = 0;
    this.#undo.length = 0;
    this.cross = volume.shape.map((n) => Math.floor(n / 2)) as unknown as Triple;
    this.#changed();
  }

  moveTo(voxel: readonly number[]): void {
    const { volume } = this;
    if (!volume) return;
    this.cross = voxel.map((at, axis) =>
      Math.max(0, Math.min(volume.shape[axis] - 1, Math.round(at))),
    ) as unknown as Triple;
    this.#changed();
  }

  redraw(): void {
    this.#changed();
  }

  indexOf([x, y, z]: readonly number[]): number {
    const [, Y, Z] = this.volume?.shape ?? [0, 0, 0];
    return (x * Y + y) * Z + z;
  }

  // ---- paint ----

  /** Sets voxels and returns those that changed, as they were. */
  #set({ at, value }: Stroke): Stroke {
    const before = new Uint8Array(at.length);
    for (let i = 0; i < at.length; i++) {
      before[i] = this.painted[at[i]];
      this.painted[at[i]] = value[i];
      this.paintedCount += Number(value[i] !== 0) - Number(before[i] !== 0);
    }
    return { at, value: before };
  }

  /** Begins a stroke, which is undone and sent as one. */
  beginStroke(): PaintStroke {
    const value = this.tool === 'erase' ? 0 : this.brushClass + 1;
    const touched = new Map<number, number>();
    return {
      disc: (centre, across, down) => {
        const { volume, brushRadius: r } = this;
        if (!volume) return;
        for (let v = -r; v <= r; v++)
          for (let u = -r; u <= r; u++) {
            if (u * u + v * v > (r + 0.5) ** 2) continue;
            const voxel = [...centre];
            voxel[across] += u;
            voxel[down] += v;
            if (voxel.some((at, axis) => at < 0 || at >= volume.shape[axis])) continue;
            const index = this.indexOf(voxel);
            const before = this.painted[index];
            if (before === value) continue;
            if (!touched.has(index)) touched.set(index, before);
            this.painted[index] = value;
            this.paintedCount += Number(value !== 0) - Number(before !== 0);
          }
        this.#changed();
      },
      end: () => {
        if (touched.size === 0) return;
        const at = Uint32Array.from(touched.keys());
        this.#undo.push({ at, value: Uint8Array.from(touched.values()) });
        this.#stroked({ at, value: new Uint8Array(at.length).fill(value) });
      },
    };
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  undo(): void {
    const stroke = this.#undo.pop();
    if (!stroke) return;
    this.#set(stroke);
    this.#stroked(stroke);
    this.#changed();
  }

  eraseAll(): void {
    const at = new Uint32Array(this.paintedCount);
    let next = 0;
    for (let i = 0; next < at.length; i++) if (this.painted[i] !== 0) at[next++] = i;
    if (at.length === 0) return;
    const stroke = { at, value: new Uint8Array(at.length) };
    this.#undo.push(this.#set(stroke));
    this.#stroked(stroke);
    this.#changed();
  }

  /** Paint that the engine knows already. */
  restorePaint(stroke: Stroke): void {
    this.#set(stroke);
    this.#changed();
  }

  // ---- labels ----

  useLabels(labels: Uint8Array): void {
    this.labels = labels;
    this.#changed();
  }

  /** Writes labels of a part that were computed while training. */
  patchLabels({ start, size, labels }: LabelPatch): void {
    const { volume } = this;
    if (!volume) return;
    this.labels ??= new Uint8Array(volume.grey.length);
    let from = 0;
    for (let x = 0; x < size[0]; x++)
      for (let y = 0; y < size[1]; y++) {
        const to = this.indexOf([start[0] + x, start[1] + y, start[2]]);
        this.labels.set(labels.subarray(from, from + size[2]), to);
        from += size[2];
      }
    this.#changed();
  }
}

export interface PaintStroke {
  /** A disc around `centre` in the plane of the voxel axes `across` and `down`. */
  disc(centre: readonly number[], across: number, down: number): void;
  end(): void;
}
