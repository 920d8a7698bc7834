// The steps of a convolution through transforms: load, transform, multiply, transform back, store.

import { type Triple, volume } from '@voxgrad/core';
import type { Call } from '../../../memory/call.js';
import type { Step } from '../../../threads/sequence.js';
import type { Engine } from '../../engine.js';
import type { Sign } from './dft.js';
import {
  loadRowsKernel,
  ROWS_ARGUMENTS,
  type RowsArguments,
  type Store,
  storeRowsKernel,
} from './rows-kernels.js';
import { laneTwiddles, type Size, twiddles } from './sizes.js';
import {
  COLUMNS_ARGUMENTS,
  type ColumnsArguments,
  columnsKernel,
  MULTIPLY_ARGUMENTS,
  type MultiplyArguments,
  multiplyKernel,
  type Product,
} from './spectra-kernels.js';
import { pointsOf, type Tile } from './tile.js';

/** Where a box of a volume begins; `pointer` is the volume. */
export interface Box {
  readonly pointer: number;
  readonly at: Triple;
}

/** Boxes of the same size in volumes of the same size: real and imaginary part of a tile. */
export interface Boxes {
  readonly first: Box;
  readonly second: Box | null;
  readonly volume: Triple;
  readonly size: Triple;
}

/** The transforms of tiles of one shape. */
export class Spectra {
  readonly #tables: Record<'depth' | 'height' | 'width' | 'lanes', number>;
  readonly #flag: number;
  readonly #scale: number;
  readonly #owned: number[] = [];

  constructor(
    readonly engine: Engine,
    readonly call: Call,
    readonly tile: Tile,
  ) {
    const table = (numbers: readonly number[]): number => {
      const pointer = this.#take(Math.max(4, 4 * numbers.length));
      new Float32Array(engine.memory.memory.buffer, pointer, numbers.length).set(numbers);
      return pointer;
    };
    this.#tables = {
      depth: table(twiddles(tile.depth)),
      height: table(twiddles(tile.height)),
      width: table(twiddles(tile.width)),
      lanes: table(laneTwiddles(tile.width)),
    };
    this.#flag = table([0]);
    // Inverse transforms do not divide by their length.
    this.#scale = bitsOf(1 / volume(pointsOf(tile)));
  }

  #take(bytes: number): number {
    const pointer = this.call.workspace(bytes);
    this.#owned.push(pointer);
    return pointer;
  }

  /** Room for `count` tiles, one after the other. */
  room(count = 1): number {
    return this.#take(count * this.tile.bytes);
  }

  /** The same for each of `lanes` threads. */
  rooms(lanes: number, count = 1): number[] {
    return Array.from({ length: lanes }, () => this.room(count));
  }

  /** Whether everything that was stored is finite. */
  get finite(): boolean {
    return new Int32Array(this.engine.memory.memory.buffer, this.#flag, 1)[0] === 0;
  }

  drop(): void {
    for (const pointer of this.#owned) this.call.drop(pointer);
    this.#owned.length = 0;
  }

  #columns(pointer: number, axis: 'depth' | 'height', sign: Sign, items: number): Step {
    const { tile, engine } = this;
    const [size, step, itemStride]: [Size, number, number] =
      axis === 'depth' ? [tile.depth, tile.plane, tile.row] : [tile.height, tile.row, tile.plane];
    const args: ColumnsArguments = {
      tile: pointer,
      twiddles: this.#tables[axis],
      itemStride,
      vectors: tile.width.points,
    };
    const kernel = columnsKernel(engine, size, step, tile.imaginary, sign);
    return { kernel, items, words: COLUMNS_ARGUMENTS.map((name) => args[name]) };
  }

  #rowWords(pointer: number, boxes: Boxes, bias = 0): number[] {
    const { first, second } = boxes;
    const args: RowsArguments = {
      tile: pointer,
      twiddles: this.#tables.width,
      laneTwiddles: this.#tables.lanes,
      'first.pointer': first.pointer,
      'first.depth': first.at[0],
      'first.row': first.at[1],
      'first.column': first.at[2],
      'second.pointer': second?.pointer ?? 0,
      'second.depth': second?.at[0] ?? 0,
      'second.row': second?.at[1] ?? 0,
      'second.column': second?.at[2] ?? 0,
      depths: boxes.volume[0],
      rows: boxes.volume[1],
      columns: boxes.volume[2],
      boxDepths: boxes.size[0],
      boxRows: boxes.size[1],
      boxColumns: boxes.size[2],
      scale: this.#scale,
      bias: bitsOf(bias),
      flag: this.#flag,
    };
    return ROWS_ARGUMENTS.map((name) => args[name]);
  }

  /** The spectrum of boxes, at `pointer`. */
  load(pointer: number, boxes: Boxes): Step[] {
    const { tile, engine } = this;
    const filled = Math.min(tile.depth.points, boxes.size[0]);
    const words = this.#rowWords(pointer, boxes);
    return [
      { kernel: loadRowsKernel(engine, tile), items: tile.depth.points, words },
      this.#columns(pointer, 'height', -1, filled),
      this.#columns(pointer, 'depth', -1, tile.height.points),
    ];
  }

  /** Transforms the spectrum at `pointer` back and writes the boxes, or adds to them. */
  store(
    pointer: number,
    boxes: Boxes,
    { add = false, bias = 0 }: { add?: boolean; bias?: number } = {},
  ): Step[] {
    const { tile, engine } = this;
    const words = this.#rowWords(pointer, boxes, bias);
    const write = (store: Store): Step => ({
      kernel: storeRowsKernel(engine, tile, store),
      items: boxes.size[0],
      words,
    });
    return [
      this.#columns(pointer, 'depth', 1, tile.height.points),
      this.#columns(pointer, 'height', 1, boxes.size[0]),
      write(add ? 'add first' : 'write'),
      ...(add && boxes.second ? [write('add second')] : []),
    ];
  }

  /** `result = x · y`, or `result += x · y`; of `y` perhaps the conjugate. */
  multiply(product: Product, { x, y, result }: MultiplyArguments, { add }: { add: boolean }): Step {
    const { engine, tile } = this;
    const args: MultiplyArguments = { x, y, result };
    const kernel = multiplyKernel(engine, tile, product, add);
    const words = MULTIPLY_ARGUMENTS.map((name) => args[name]);
    return { kernel, items: tile.depth.points, words };
  }
}

/** A number as the bits of a float32. */
const bitsOf = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0];
