// Along W, and between tiles and volumes: rows are read from two volumes, the second as imaginary
// part, and transformed; and transformed back and written to, or added to, two volumes.

import { type Code, type IntLike, i32, type Local, load, type Value } from '../../../emit/code.js';
import { anyTrue } from '../../../emit/integers.js';
import { bits, type Lanes, lanes } from '../../../emit/lanes.js';
import { f32 } from '../../../emit/numbers.js';
import type { Kernel, KernelBuilder } from '../../../threads/kernel-cache.js';
import { forItems, words } from '../../arguments.js';
import { type Engine, kernelOf } from '../../engine.js';
import { transpose } from '../winograd/lanes.js';
import { type Along, transformAlong } from './along.js';
import { dft, type Sign } from './dft.js';
import type { Tile } from './tile.js';

/** A box of a volume `[depths, rows, columns]`, from `depth`, `row`, `column` on (negative: outside). */
export const BOX_ARGUMENTS = ['pointer', 'depth', 'row', 'column'] as const;

export const ROWS_ARGUMENTS = [
  'tile',
  'twiddles',
  'laneTwiddles',
  ...(['first', 'second'] as const).flatMap((which) =>
    BOX_ARGUMENTS.map((name) => `${which}.${name}` as const),
  ),
  // Of the volumes.
  'depths',
  'rows',
  'columns',
  // Of the boxes.
  'boxDepths',
  'boxRows',
  'boxColumns',
  // For what is written: a factor and a summand (bits of float32), and where a 1 goes if it is not
  // finite.
  'scale',
  'bias',
  'flag',
] as const;

export type RowsArguments = Record<(typeof ROWS_ARGUMENTS)[number], number>;

type Words = Record<(typeof ROWS_ARGUMENTS)[number], Local<'i32'>>;

/** What a row of a box has in common with its volume, `[begin, end)` in places of the box. */
function overlap(f: Code, a: Words, which: 'first' | 'second') {
  const column = a[`${which}.column`];
  const none = i32.sub(0, column);
  const begin = f.int(i32.mul(i32.gtS(none, 0), none));
  const room = i32.sub(a.columns, column);
  const end = f.int(i32.min(a.boxColumns, room));
  // A box right of its volume has no columns in it.
  f.if(i32.leS(room, 0), () => f.setInt(end, 0));
  return { begin, end, column };
}

/** The address of column 0 of a row of a volume, and whether the row exists. */
function rowOf(f: Code, a: Words, which: 'first' | 'second', depth: IntLike, row: IntLike) {
  const d = f.int(i32.add(a[`${which}.depth`], depth));
  const h = f.int(i32.add(a[`${which}.row`], row));
  // Unsigned comparison: a negative position is a very large one.
  const inside = i32.and(i32.ltU(d, a.depths), i32.ltU(h, a.rows));
  const exists = f.int(i32.and(inside, i32.ne(a[`${which}.pointer`], 0)));
  const line = i32.add(i32.mul(d, a.rows), h);
  const at = f.int(i32.add(a[`${which}.pointer`], i32.shl(i32.mul(line, a.columns), 2)));
  return { exists, at };
}

const alongRow = (f: Code, v: Lanes, { width, imaginary }: Tile, a: Words): Along => ({
  ...{ f, v, size: width, step: 16, imaginary },
  twiddles: a.twiddles,
});

/** The four vectors at `at`, times their twiddle factors, transformed across lanes. */
function acrossLanes(
  f: Code,
  v: Lanes,
  { imaginary, width }: Tile,
  sign: Sign,
  row: Local<'i32'>,
  a: Words,
): void {
  const at = f.int(row);
  const end = f.int(i32.add(row, 16 * width.points));
  const w = f.int(a.laneTwiddles);
  f.for(at, end, 64, () => {
    const read = (offset: number) =>
      [0, 1, 2, 3].map((i) => f.local('v128', load.v128(at, offset + 16 * i)));
    const factor = (i: number) => [
      f.local('v128', load.v128(w, 32 * i)),
      f.local('v128', load.v128(w, 32 * i + 16)),
    ];
    let [re, im] = [read(0), read(imaginary)];
    const turn = (sine: 1 | -1) => {
      const turned = re.map((x, i) => {
        const y = im[i];
        const [c, s] = factor(i);
        const [xs, ys] = [v.mul(x, s), v.mul(y, s)];
        const [xc, yc] = [v.mul(x, c), v.mul(y, c)];
        return sine === 1
          ? [f.local('v128', v.sub(xc, ys)), f.local('v128', v.add(yc, xs))]
          : [f.local('v128', v.add(xc, ys)), f.local('v128', v.sub(yc, xs))];
      });
      re = turned.map(([x]) => x);
      im = turned.map(([, y]) => y);
    };
    const exchange = () => {
      [re, im] = [transpose(f, re) as typeof re, transpose(f, im) as typeof im];
    };
    const combine = () => {
      const values = dft(
        f,
        v,
        sign,
        re.map((x, i) => ({ re: x, im: im[i] })),
      );
      re = values.map((value) => f.local('v128', value.re));
      im = values.map((value) => f.local('v128', value.im));
    };
    if (sign === -1) {
      turn(1);
      exchange();
      combine();
    } else {
      combine();
      exchange();
      turn(-1);
    }
    re.forEach((x, i) => {
      f.store('v128', at, x, 16 * i);
      f.store('v128', at, im[i], imaginary + 16 * i);
    });
    f.advance(w, 128);
  });
}

const keyOf = ({ depth, height, width, plane }: Tile): string =>
  `${depth.points} ${height.points} ${width.points} ${plane}`;

/** Reads boxes into a tile and transforms its rows; an item is a depth of the tile. */
export function loadRowsKernel(engine: Engine, tile: Tile): Kernel {
  return kernelOf(engine, `fft load ${keyOf(tile)}`, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, ROWS_ARGUMENTS);
    const boxes = (['first', 'second'] as const).map((which, i) => ({
      which,
      offset: i * tile.imaginary,
      ...overlap(f, a, which),
    }));
    forItems(builder, (depth) => {
      const row = f.int(i32.add(a.tile, i32.mul(depth, tile.plane)));
      f.times(tile.height.points, (height) => {
        const zero = f.int(row);
        f.for(zero, i32.add(row, tile.row), 16, () => {
          f.store('v128', zero, v.zero);
          f.store('v128', zero, v.zero, tile.imaginary);
        });
        const filled = f.int();
        f.setInt(filled, 0);
        f.if(i32.and(i32.ltU(depth, a.boxDepths), i32.ltU(height, a.boxRows)), () => {
          for (const { which, offset, begin, end, column } of boxes) {
            const { exists, at } = rowOf(f, a, which, depth, height);
            f.if(exists, () => {
              f.setInt(filled, 1);
              const from = f.int(i32.add(at, i32.shl(i32.add(column, begin), 2)));
              const to = f.int(i32.add(row, i32.shl(begin, 2)));
              overRow(f, to, i32.add(row, i32.shl(end, 2)), {
                vector: () => {
                  f.store('v128', to, load.v128(from), offset);
                  f.advance(from, 16);
                },
                number: () => {
                  f.store('f32', to, load.f32(from), offset);
                  f.advance(from, 4);
                },
              });
            });
          }
        });
        f.if(filled, () => {
          transformAlong(alongRow(f, v, tile, a), -1, row);
          acrossLanes(f, v, tile, -1, row, a);
        });
        f.advance(row, tile.row);
      });
    });
  });
}

/** Runs `vector` for each four numbers from `at` to `end`, `number` for the rest; both advance nothing. */
function overRow(
  f: Code,
  at: Local<'i32'>,
  end: Value<'i32'>,
  body: { vector: () => void; number: () => void },
): void {
  const last = f.int(end);
  f.while(
    () => i32.leS(i32.add(at, 16), last),
    () => {
      body.vector();
      f.advance(at, 16);
    },
  );
  f.while(
    () => i32.ltS(at, last),
    () => {
      body.number();
      f.advance(at, 4);
    },
  );
}

/**
 * What {@link storeRowsKernel} does with the rows: writes both boxes; or adds to the first, or to the
 * second after that. Boxes of a pair may overlap, and each place must be added to in a fixed order.
 */
export type Store = 'write' | 'add first' | 'add second';

/** Transforms the rows of a tile back and writes them to boxes; an item is a depth of the tile. */
export function storeRowsKernel(engine: Engine, tile: Tile, store: Store): Kernel {
  return kernelOf(engine, `fft store ${keyOf(tile)} ${store}`, (builder) => {
    const { f } = builder;
    const v = lanes('float32', engine.fma);
    const a = words(builder, ROWS_ARGUMENTS);
    const add = store !== 'write';
    const [scale, bias] = (['scale', 'bias'] as const).map((name) =>
      f.local('v128', v.loadSplat(wordAt(builder, name))),
    );
    const [factor, summand] = (['scale', 'bias'] as const).map((name) =>
      f.local('f32', load.f32(wordAt(builder, name))),
    );
    const boxes = (['first', 'second'] as const).map((which, i) => ({
      which,
      offset: i * tile.imaginary,
      ...overlap(f, a, which),
    }));
    const written = boxes.filter(({ which }) => !add || store === `add ${which}`);
    forItems(builder, (depth) => {
      const row = f.int(i32.add(a.tile, i32.mul(depth, tile.plane)));
      const notFinite = f.local('v128', v.zero);
      f.times(a.boxRows, (height) => {
        if (store !== 'add second') {
          const [one, other] = boxes.map(({ which }) => rowOf(f, a, which, depth, height).exists);
          f.if(i32.or(one, other), () => {
            acrossLanes(f, v, tile, 1, row, a);
            transformAlong(alongRow(f, v, tile, a), 1, row);
          });
        }
        for (const { which, offset, begin, end, column } of written) {
          const { exists, at } = rowOf(f, a, which, depth, height);
          f.if(exists, () => {
            const from = f.int(i32.add(row, i32.shl(begin, 2)));
            const to = f.int(i32.add(at, i32.shl(i32.add(column, begin), 2)));
            overRow(f, to, i32.add(at, i32.shl(i32.add(column, end), 2)), {
              vector: () => {
                const x = f.local('v128', v.mul(load.v128(from, offset), scale));
                // x − x is 0 unless x is infinite or NaN.
                const zero = v.eq(v.sub(x, x), v.zero);
                f.set(notFinite, bits.or(notFinite, bits.not(zero)));
                f.store('v128', to, v.add(x, add ? load.v128(to) : bias));
                f.advance(from, 16);
              },
              number: () => {
                const x = f32.mul(load.f32(from, offset), factor);
                f.store('f32', to, f32.add(x, add ? load.f32(to) : summand));
                f.advance(from, 4);
              },
            });
          });
        }
        f.advance(row, tile.row);
      });
      f.if(anyTrue(notFinite), () => f.store('i32', a.flag, i32.add(1, 0)));
    });
  });
}

const wordAt = ({ args }: KernelBuilder, name: (typeof ROWS_ARGUMENTS)[number]): Value<'i32'> =>
  i32.add(args, 4 * ROWS_ARGUMENTS.indexOf(name));
