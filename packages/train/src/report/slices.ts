// Slices of volumes with labels drawn over them, as images inside of the page.

import {
  argumentError,
  describe,
  formatShape,
  isFloat,
  type Tensor,
  Tensor as TensorClass,
} from '@voxgrad/core';
import { encode } from 'fast-png';
import { html, type Markup } from './markup.js';

export interface ReportVolume {
  readonly name?: string;
  /** `[D, H, W]`, or `[1, D, H, W]`. */
  readonly image: Tensor;
  /** The true class of each voxel, of the same shape; class 0 is not drawn. */
  readonly label?: Tensor;
  /** The predicted class of each voxel. */
  readonly prediction?: Tensor;
}

/** Colours of classes 1, 2, …, told apart by most eyes on grey. */
const CLASS_COLOURS = [
  [255, 99, 71],
  [64, 186, 255],
  [255, 202, 58],
  [106, 214, 120],
  [206, 120, 255],
  [255, 140, 200],
] as const;
const OPACITY = 0.5;

interface Volume {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

/** The middle slices along each axis: the image, and each map of classes over it. */
export async function sliceGallery(volumes: readonly ReportVolume[]): Promise<Markup> {
  const parts: Markup[] = [];
  for (const [i, { name, image, label, prediction }] of volumes.entries()) {
    const base = await volumeOf('image', image);
    const window = intensityWindow(base.data);
    const overlays: [string, Volume | undefined][] = [['image', undefined]];
    for (const [title, tensor] of [
      ['label', label],
      ['prediction', prediction],
    ] as const) {
      if (tensor === undefined) continue;
      const volume = await volumeOf(title, tensor);
      if (formatShape(volume.shape) !== formatShape(base.shape))
        throw argumentError(
          `report: the ${title} has shape ${formatShape(volume.shape)}, and its image ${formatShape(base.shape)}`,
        );
      overlays.push([title, volume]);
    }
    const figures = base.shape.map((size, axis) => {
      const at = size >> 1;
      return overlays.map(([title, classes]) => {
        const source = png(base, window, classes, axis, at);
        const caption = `${title} · axis ${axis}, slice ${at}`;
        return html`<figure><img src="${source}" alt="${caption}"><figcaption>${caption}</figcaption></figure>`;
      });
    });
    parts.push(html`<h3>${name ?? `volume ${i + 1}`}</h3>`);
    for (const row of figures)
      parts.push(
        html`<div class="slices" style="grid-template-columns: repeat(${overlays.length}, minmax(0, 1fr)); max-width: ${overlays.length * 300}px; margin-bottom: 14px">${row}</div>`,
      );
  }
  return html`${parts}`;
}

async function volumeOf(what: string, tensor: Tensor): Promise<Volume> {
  if (!(tensor instanceof TensorClass))
    throw argumentError(`report: the ${what} should be a tensor, but is ${describe(tensor)}`);
  const volume = tensor.ndim === 4 && tensor.shape[0] === 1 ? tensor.squeeze(0) : tensor;
  if (volume.ndim !== 3 || volume.numel === 0)
    throw argumentError(
      `report: the ${what} should be a volume [D, H, W], but has shape ${formatShape(tensor.shape)}`,
    );
  const data = await volume
    .detach()
    .to(isFloat(volume.dtype) ? 'float32' : 'int32')
    .data();
  return { shape: volume.shape, data: data as Float32Array | Int32Array };
}

/** From dark to bright: what lies between the 1st and 99th of 100 parts of the values. */
function intensityWindow(data: ArrayLike<number>): { low: number; high: number } {
  const stride = Math.max(1, Math.floor(data.length / 50_000));
  const sample: number[] = [];
  for (let i = 0; i < data.length; i += stride) if (Number.isFinite(data[i])) sample.push(data[i]);
  sample.sort((a, b) => a - b);
  const at = (part: number) => sample[Math.floor(part * (sample.length - 1))] ?? 0;
  const [low, high] = [at(0.01), at(0.99)];
  return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
}

/** A slice as the address of a PNG image. */
function png(
  { shape, data }: Volume,
  { low, high }: { low: number; high: number },
  classes: Volume | undefined,
  axis: number,
  at: number,
): string {
  const strides = [shape[1] * shape[2], shape[2], 1];
  const [down, across] = [0, 1, 2].filter((other) => other !== axis);
  const [height, width] = [shape[down], shape[across]];
  const pixels = new Uint8Array(height * width * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const voxel = at * strides[axis] + y * strides[down] + x * strides[across];
      const grey = 255 * Math.min(1, Math.max(0, (data[voxel] - low) / (high - low)));
      const kind = Math.round(classes?.data[voxel] ?? 0);
      const tint = kind > 0 ? CLASS_COLOURS[(kind - 1) % CLASS_COLOURS.length] : undefined;
      for (let c = 0; c < 3; c++)
        pixels[(y * width + x) * 3 + c] = tint ? (1 - OPACITY) * grey + OPACITY * tint[c] : grey;
    }
  return `data:image/png;base64,${base64(encode({ width, height, data: pixels, channels: 3 }))}`;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  const chunk = 0x8000; // as many arguments as every runtime takes
  for (let i = 0; i < bytes.length; i += chunk)
    text += String.fromCharCode(...bytes.subarray(i, i + chunk));
  return btoa(text);
}
