// One slice: drawing, looking around, painting; by pointer, wheel and keys.

import { colourOf } from '../shared/palette.js';
import { make } from './dom.js';
import { type Plane, toPicture, toVoxel } from './planes.js';
import type { PaintStroke, Scene } from './scene.js';

/** Colours repeat after this many classes. */
const COLOURS = 8;

/** Rows of the table: none, labels, paint, and the edge of paint. */
const [LABEL, PAINT, EDGE, ROWS] = [1, 1 + COLOURS, 1 + 2 * COLOURS, 1 + 3 * COLOURS];

/** Colours for every overlay and grey value, as pixels. */
export function lookUpTable(opacity: number): Uint32Array {
  const table = new Uint32Array(ROWS * 256);
  const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
  const pixel = (r: number, g: number, b: number) =>
    little ? (255 << 24) | (b << 16) | (g << 8) | r : (r << 24) | (g << 16) | (b << 8) | 255;
  for (let row = 0; row < ROWS; row++) {
    const part = row < LABEL ? 0 : row < PAINT ? opacity : row < EDGE ? 0.7 : 1;
    const [r, g, b] = colourOf((row - LABEL + COLOURS) % COLOURS);
    for (let grey = 0; grey < 256; grey++) {
      // Some of the grey shines through, so that structure stays visible.
      const light = row < EDGE ? 0.35 + (0.65 * grey) / 255 : 1;
      const mix = (c: number) => Math.round(grey * (1 - part) + c * light * part);
      table[row * 256 + grey] = pixel(mix(r), mix(g), mix(b));
    }
  }
  return table;
}

export class SliceView {
  readonly #scene: Scene;
  readonly #canvas = make('canvas', { width: 1, height: 1, tabIndex: 0 });
  readonly #stage: HTMLElement;
  readonly #brush = make('span', { class: 'brush', hidden: true });
  readonly #slider = make('input', { type: 'range', min: '0', max: '0', value: '0' });
  readonly #position = make('output', { 'aria-live': 'off' }, '–');
  readonly #edges = [0, 1, 2, 3].map((i) => make('span', { class: `edge edge-${i}` }));
  #plane: Plane | null = null;
  #image: ImageData | null = null;
  #stroke: PaintStroke | null = null;
  #last: readonly [number, number] | null = null;

  constructor(
    figure: HTMLElement,
    readonly title: string,
    scene: Scene,
  ) {
    this.#scene = scene;
    this.#canvas.setAttribute('role', 'application');
    this.#canvas.setAttribute('aria-roledescription', 'slice');
    this.#canvas.setAttribute('aria-label', `${title} slice: no volume yet`);
    this.#slider.setAttribute('aria-label', `${title} position`);
    this.#slider.disabled = true;
    this.#stage = make('div', { class: 'stage' }, this.#canvas, this.#brush, ...this.#edges);
    figure.replaceChildren(
      make('figcaption', {}, make('b', {}, title), ' ', this.#position),
      make('div', { class: 'fit' }, this.#stage),
      this.#slider,
    );
    this.#listen();
  }

  use(plane: Plane): void {
    const { volume } = this.#scene;
    if (!volume) return;
    this.#plane = plane;
    const [width, height] = [volume.shape[plane.across.axis], volume.shape[plane.down.axis]];
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#image = new ImageData(width, height);
    this.#stage.style.setProperty('--ratio', String(plane.ratio));
    this.#slider.max = String(volume.shape[plane.normal.axis] - 1);
    this.#slider.disabled = false;
    for (const [i, edge] of this.#edges.entries()) edge.textContent = plane.edges[i];
  }

  draw(table: Uint32Array): void {
    const [{ volume, labels, painted, cross }, plane, image] = [
      this.#scene,
      this.#plane,
      this.#image,
    ];
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!volume || !plane || !image || !context) return;
    const { shape, grey } = volume;
    const strides = [shape[1] * shape[2], shape[2], 1];
    const step = ({ axis, flipped }: Plane['across']) => (flipped ? -1 : 1) * strides[axis];
    const first = ({ axis, flipped }: Plane['across']) =>
      flipped ? (shape[axis] - 1) * strides[axis] : 0;
    const [across, down] = [step(plane.across), step(plane.down)];
    const { width, height } = image;
    const pixels = new Uint32Array(image.data.buffer);
    let row =
      cross[plane.normal.axis] * strides[plane.normal.axis] +
      first(plane.across) +
      first(plane.down);
    for (let v = 0, to = 0; v < height; v++, row += down)
      for (let u = 0, i = row; u < width; u++, i += across, to++) {
        const paint = painted[i];
        let overlay = 0;
        if (paint !== 0) {
          const edge =
            painted[i - across] !== paint ||
            painted[i + across] !== paint ||
            painted[i - down] !== paint ||
            painted[i + down] !== paint;
          overlay = (edge ? EDGE : PAINT) + ((paint - 1) % COLOURS);
        } else if (labels !== null && labels[i] !== 0) overlay = LABEL + (labels[i] % COLOURS);
        pixels[to] = table[overlay * 256 + grey[i]];
      }
    context.putImageData(image, 0, 0);
    this.#stage.style.setProperty(
      '--u',
      String((toPicture(plane.across, cross[plane.across.axis], shape) + 0.5) / width),
    );
    this.#stage.style.setProperty(
      '--v',
      String((toPicture(plane.down, cross[plane.down.axis], shape) + 0.5) / height),
    );
    const at = cross[plane.normal.axis];
    const text = `${'xyz'[plane.normal.axis]} = ${at} of ${shape[plane.normal.axis]}`;
    this.#position.textContent = text;
    this.#slider.value = String(toPicture(plane.normal, at, shape));
    this.#canvas.setAttribute(
      'aria-label',
      `${this.title} slice, ${text}; crosshair at ${cross.join(', ')}`,
    );
  }

  // ---- input ----

  #listen(): void {
    const canvas = this.#canvas;
    this.#slider.addEventListener('input', () => this.#goTo(Number(this.#slider.value)));
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !this.#plane) return;
      canvas.setPointerCapture(event.pointerId);
      if (this.#scene.tool !== 'look') this.#stroke = this.#scene.beginStroke();
      this.#last = null;
      this.#drag(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      this.#showBrush(event);
      if (canvas.hasPointerCapture(event.pointerId)) this.#drag(event);
    });
    const end = () => {
      this.#stroke?.end();
      this.#stroke = null;
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => {
      this.#brush.hidden = true;
    });
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!this.#plane || event.ctrlKey) return;
        event.preventDefault();
        this.#goTo(Number(this.#slider.value) + Math.sign(event.deltaY));
      },
      { passive: false },
    );
    canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  /** To another slice, counted along the picture's normal. */
  #goTo(at: number): void {
    const [plane, { volume, cross }] = [this.#plane, this.#scene];
    if (!plane || !volume) return;
    const voxel = [...cross];
    voxel[plane.normal.axis] = toVoxel(plane.normal, at, volume.shape);
    this.#scene.moveTo(voxel);
  }

  /** The pixel of the picture under the pointer. */
  #pixelAt(event: PointerEvent): readonly [number, number] {
    const box = this.#canvas.getBoundingClientRect();
    const { width, height } = this.#canvas;
    const inside = (at: number, size: number) => Math.max(0, Math.min(size - 1, Math.floor(at)));
    return [
      inside(((event.clientX - box.left) / box.width) * width, width),
      inside(((event.clientY - box.top) / box.height) * height, height),
    ];
  }

  #voxelAt([u, v]: readonly [number, number]): number[] {
    const [plane, { volume, cross }] = [this.#plane, this.#scene];
    const voxel = [...cross];
    if (!plane || !volume) return voxel;
    voxel[plane.across.axis] = toVoxel(plane.across, u, volume.shape);
    voxel[plane.down.axis] = toVoxel(plane.down, v, volume.shape);
    return voxel;
  }

  #drag(event: PointerEvent): void {
    const plane = this.#plane;
    if (!plane) return;
    const to = this.#pixelAt(event);
    if (!this.#stroke) {
      this.#scene.moveTo(this.#voxelAt(to));
      return;
    }
    // Pointers jump: discs along the way.
    const from = this.#last ?? to;
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1])));
    for (let i = 1; i <= steps; i++) {
      const between = (axis: 0 | 1) =>
        Math.round(from[axis] + ((to[axis] - from[axis]) * i) / steps);
      const centre = this.#voxelAt([between(0), between(1)]);
      this.#stroke.disc(centre, plane.across.axis, plane.down.axis);
    }
    this.#last = to;
  }

  #showBrush(event: PointerEvent): void {
    const { tool, brushRadius, brushClass } = this.#scene;
    this.#brush.hidden = tool === 'look' || !this.#plane;
    if (this.#brush.hidden) return;
    const [u, v] = this.#pixelAt(event);
    const { width, height } = this.#canvas;
    const { style } = this.#brush;
    style.left = `${(100 * (u + 0.5)) / width}%`;
    style.top = `${(100 * (v + 0.5)) / height}%`;
    style.width = `${(100 * (2 * brushRadius + 1)) / width}%`;
    style.height = `${(100 * (2 * brushRadius + 1)) / height}%`;
    style.borderColor = tool === 'erase' ? 'white' : `rgb(${colourOf(brushClass).join(' ')})`;
  }

  #key(event: KeyboardEvent): void {
    const [plane, { cross, volume }] = [this.#plane, this.#scene];
    if (!plane || !volume || event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const move = ({ axis, flipped }: Plane['across'], by: number) => {
      const voxel = [...cross];
      voxel[axis] += flipped ? -by : by;
      this.#scene.moveTo(voxel);
    };
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(plane.across, -far),
      ArrowRight: () => move(plane.across, far),
      ArrowUp: () => move(plane.down, -far),
      ArrowDown: () => move(plane.down, far),
      PageUp: () => move(plane.normal, far),
      PageDown: () => move(plane.normal, -far),
      ' ': () => this.#paintAtCross(plane),
      Enter: () => this.#paintAtCross(plane),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #paintAtCross(plane: Plane): void {
    const scene = this.#scene;
    if (scene.tool === 'look') return;
    const stroke = scene.beginStroke();
    stroke.disc(scene.cross, plane.across.axis, plane.down.axis);
    stroke.end();
  }
}
