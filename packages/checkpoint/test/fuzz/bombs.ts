// Files that make much of little: as many objects, names or bytes as their format lets them claim.

import { bytes, py, u32 } from '../hand-made.js';
import { npy, safetensors, type ZipOptions, zip } from './containers.js';
import type { Input } from './samples.js';

const MILLION = 1e6;

const repeated = (part: Uint8Array, count: number): Uint8Array => {
  const all = new Uint8Array(part.length * count);
  for (let i = 0; i < count; i++) all.set(part, i * part.length);
  return all;
};

/** Parts that differ in four bytes, which stand at `at`. */
const numbered = (part: Uint8Array, at: number, count: number): Uint8Array => {
  const all = repeated(part, count);
  const view = new DataView(all.buffer);
  for (let i = 0; i < count; i++) view.setUint32(i * part.length + at, i, true);
  return all;
};

const torch = (value: Uint8Array, options?: ZipOptions): Input =>
  zip(
    [
      { name: 'a/data.pkl', content: py.pickle(value) },
      { name: 'a/data/0', content: new Uint8Array(4) },
      { name: 'a/version', content: bytes('3\n') },
    ],
    options,
  ).bytes;

/** A list of what `part` leaves on the stack, `count` times; `memo` is put in the memo from 0 on. */
const listOf = (part: Uint8Array, count: number, memo: readonly Uint8Array[] = []): Input =>
  torch(
    bytes(
      ...memo.flatMap((value, i) => [value, bytes('q', i), bytes('0')]),
      bytes('](', repeated(part, count), 'e'),
    ),
  );

const ONE = bytes('h\x00');
const CALL = bytes('h\x00h\x01R');

const scalarType = bytes(
  py.call(py.name('numpy', 'dtype'), py.text('f8'), py.int(0), py.int(1)),
  py.tuple(py.int(3), py.text('<'), py.none, py.none, py.none, py.int(-1), py.int(-1), py.int(0)),
  'b',
);
const storage = py.storage('FloatStorage', '0', 1);
const rebuild = py.name('torch._utils', '_rebuild_tensor_v2');
const dims = (n: number) => py.ints(...new Array<number>(n).fill(1));
const tensorArgs = (n: number) => py.tuple(storage, py.int(0), dims(n), dims(n), py.false, py.none);
const tensor = bytes(rebuild, tensorArgs(1), 'R');

const json = (text: string): Input =>
  safetensors(new TextEncoder().encode(text), new Uint8Array()).bytes;

/** Zeros, deflated: a thousand times smaller. */
const zeros = (length: number): Uint8Array => new Uint8Array(length);

/** Each with a name, made when it is wanted. */
export const BOMBS: readonly (readonly [name: string, make: () => Input])[] = [
  ['lists', () => listOf(bytes(']'), 12 * MILLION)],
  ['tuples', () => listOf(bytes(')'), 8 * MILLION)],
  ['dicts', () => listOf(bytes('}'), 8 * MILLION)],
  ['sets', () => listOf(bytes(0x8f), 8 * MILLION)],
  ['frozensets', () => listOf(bytes('(', 0x91), 4 * MILLION)],
  ['tuples of one', () => listOf(bytes('N', 0x85), 6 * MILLION)],
  ['empty bytes', () => listOf(bytes('C\0'), 4 * MILLION)],
  ['bytes', () => listOf(bytes('C\x01x'), 4 * MILLION)],
  ['texts', () => listOf(bytes('X', u32(3), 'abc'), 2 * MILLION)],
  ['wide texts', () => listOf(bytes('X', u32(3), '\xe2\x82\xac'), 2 * MILLION)],
  ['integers', () => listOf(bytes(0x8a, 9, new Uint8Array(9).fill(1)), MILLION)],
  ['floats', () => listOf(bytes('G', new Uint8Array(8).fill(1)), MILLION)],
  ['marks', () => torch(repeated(bytes('('), 12 * MILLION))],
  ['memo', () => torch(bytes(repeated(bytes('N', 0x94, '0'), 3 * MILLION), 'N'))],
  ['memo of numbers', () => torch(bytes(numbered(bytes('Nr\0\0\0\x000'), 2, 2 * MILLION), 'N'))],
  ['keys', () => torch(bytes('}(', numbered(bytes('J\0\0\0\0N'), 1, 2 * MILLION), 'u'))],
  ['names', () => listOf(bytes('cA\nB\n'), 2 * MILLION)],
  ['objects', () => listOf(bytes('h\x00)R'), 2 * MILLION, [py.name('my.own', 'Class')])],
  [
    'ordered dicts',
    () => listOf(bytes('h\x00)R'), 2 * MILLION, [py.name('collections', 'OrderedDict')]),
  ],
  ['namespaces', () => listOf(bytes('h\x00)R'), 2 * MILLION, [py.name('argparse', 'Namespace')])],
  [
    'NumPy arrays',
    () => listOf(bytes('h\x00)R'), 2 * MILLION, [py.name('numpy.core.multiarray', '_reconstruct')]),
  ],
  [
    'NumPy types',
    () => listOf(CALL, 2 * MILLION, [py.name('numpy', 'dtype'), py.tuple(py.text('f4'))]),
  ],
  [
    'NumPy scalars',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('numpy.core.multiarray', 'scalar'),
        py.tuple(scalarType, py.bytes(new Uint8Array(8))),
      ]),
  ],
  [
    'NumPy arrays of the same bytes',
    () =>
      listOf(CALL, MILLION, [
        py.name('numpy.core.numeric', '_frombuffer'),
        py.tuple(py.bytes(new Uint8Array(8000)), scalarType, py.ints(1000), py.text('C')),
      ]),
  ],
  [
    'copies of a list',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('__builtin__', 'list'),
        py.tuple(bytes('](', repeated(bytes('N'), 1000), 'e')),
      ]),
  ],
  [
    'copies of a set',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('__builtin__', 'set'),
        py.tuple(bytes('](', repeated(bytes('N'), 1000), 'e')),
      ]),
  ],
  [
    'copies of a dict',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('collections', 'OrderedDict'),
        py.tuple(bytes('](', numbered(bytes('J\0\0\0\0N', 0x86), 1, 1000), 'e')),
      ]),
  ],
  [
    'copies of bytes',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('_codecs', 'encode'),
        py.tuple(py.text('a'.repeat(1000)), py.text('latin1')),
      ]),
  ],
  [
    'small copies of bytes',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('_codecs', 'encode'),
        py.tuple(py.text('a'), py.text('latin1')),
      ]),
  ],
  [
    'paths',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('pathlib', 'PosixPath'),
        py.tuple(...new Array<Uint8Array>(100).fill(py.text('aaaa'))),
      ]),
  ],
  [
    'dates',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('datetime', 'datetime'),
        py.tuple(py.bytes(new Uint8Array(10))),
      ]),
  ],
  [
    'storages',
    () =>
      listOf(bytes('h\x00Q'), 2 * MILLION, [
        py.tuple(
          py.text('storage'),
          py.name('torch', 'FloatStorage'),
          py.text('0'),
          py.text('cpu'),
          py.int(1),
        ),
      ]),
  ],
  ['tensors', () => listOf(CALL, 2 * MILLION, [rebuild, tensorArgs(1)])],
  ['tensors of many dimensions', () => listOf(CALL, 2 * MILLION, [rebuild, tensorArgs(64)])],
  [
    'sparse tensors',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('torch._utils', '_rebuild_sparse_tensor'),
        py.tuple(py.none, py.tuple(tensor, tensor, dims(64))),
      ]),
  ],
  [
    'parameters',
    () =>
      listOf(CALL, 2 * MILLION, [
        py.name('torch.nn.parameter', 'Parameter'),
        py.tuple(tensor, py.true),
      ]),
  ],
  ['one tensor in many places', () => listOf(ONE, 4 * MILLION, [tensor])],
  ['one tensor in 190000 places', () => listOf(ONE, 190_000, [tensor])],
  ['190000 tensors', () => listOf(CALL, 190_000, [rebuild, tensorArgs(1)])],
  [
    '190000 unreadable objects',
    () => listOf(bytes('h\x00)R'), 190_000, [py.name('my.own', 'Class')]),
  ],
  [
    'names of many characters',
    () =>
      torch(
        bytes(
          '}(',
          py.text('k'.repeat(10_000)),
          bytes('](', tensor, 'q\x00', repeated(ONE, 190_000), 'e'),
          'u',
        ),
      ),
  ],
  [
    'nested lists',
    () => torch(bytes(repeated(bytes(']'), 6 * MILLION), repeated(bytes('a'), 6 * MILLION))),
  ],
  ['nested tuples', () => torch(bytes(')', repeated(bytes(0x85), MILLION)))],
  ['doubling tuples', () => torch(bytes(')', repeated(bytes('q\x00h\x00', 0x86), MILLION)))],
  ['doubling lists', () => torch(bytes(']', repeated(bytes('q\x000](h\x00h\x00e'), 400)))],
  [
    'doubling keys',
    () => torch(bytes(')', repeated(bytes('q\x00h\x00', 0x86), 400), 'q\x000}h\x00Ns')),
  ],
  [
    'doubling modules',
    () => {
      const module = (child: Uint8Array) =>
        bytes(
          py.call(py.name('torch.nn', 'Sequential')),
          bytes(
            '}(',
            py.text('_parameters'),
            '}',
            py.text('_modules'),
            '}(',
            py.text('a'),
            child,
            'q\x00',
            py.text('b'),
            'h\x00',
            'u',
            'u',
          ),
          'b',
        );
      return torch(Array.from({ length: 100 }).reduce<Uint8Array>(module, module(py.none)));
    },
  ],
  [
    'a packed description',
    () => torch(bytes('](', repeated(bytes(')'), 100 * MILLION), 'e'), { deflated: true }),
  ],
  [
    'packed texts',
    () => torch(bytes('X', u32(400 * MILLION), zeros(400 * MILLION)), { deflated: true }),
  ],
  [
    'packed arrays',
    () =>
      zip(
        Array.from({ length: 20 }, (_, i) => ({
          name: `${i}.npy`,
          content: npy(
            bytes("{'descr': '<u4', 'fortran_order': False, 'shape': (10000000,), }\n"),
            zeros(40 * MILLION),
          ).bytes,
        })),
        { deflated: true },
      ).bytes,
  ],
  ['entries of the same bytes', () => sameBytes(1000)],
  [
    'many entries',
    () =>
      zip(
        Array.from({ length: 100_000 }, (_, i) => ({ name: `a/${i}`, content: bytes() })),
        { zip64: true },
      ).bytes,
  ],
  ['JSON lists', () => json(`{"a":[${'[],'.repeat(10 * MILLION)}0]}`)],
  ['fewer JSON lists', () => json(`{"a":[${'[],'.repeat(1.9 * MILLION)}0]}`)],
  ['fewer JSON objects', () => json(`{"a":[${'{"a":0},'.repeat(1.9 * MILLION)}0]}`)],
  ['JSON nesting', () => json(`{"a":${'['.repeat(20 * MILLION)}`)],
  ['JSON objects', () => json(`{"a":[${'{"a":0},'.repeat(4 * MILLION)}0]}`)],
  ['a NumPy header', () => npy(bytes(`{'descr': '${'a'.repeat(60_000)}`), bytes()).bytes],
  [
    'a long NumPy header',
    () => npy(bytes(`{'descr': '${'a'.repeat(1_000_000)}`), bytes(), 2).bytes,
  ],
  [
    'a NumPy header of lists',
    () => npy(bytes(`{'descr': [${'[],'.repeat(300_000)}]}`), bytes(), 2).bytes,
  ],
];

/** An archive in which many entries claim one run of bytes. */
function sameBytes(count: number): Input {
  const content = new Uint8Array(MILLION);
  const whole = zip([
    { name: 'a/data.pkl', content: py.pickle(py.none) },
    { name: 'a/data/0', content },
    ...Array.from({ length: count }, (_, i) => ({ name: `a/data/${i + 1}`, content: bytes() })),
  ]).bytes;
  const view = new DataView(whole.buffer);
  const headers = [];
  for (let at = MILLION; at + 46 <= whole.length; at++)
    if (view.getUint32(at, true) === 0x02014b50) headers.push(at);
  const [, first, ...others] = headers;
  // Checksum, sizes and place of the first.
  for (const at of others) {
    whole.copyWithin(at + 16, first + 16, first + 28);
    whole.copyWithin(at + 42, first + 42, first + 46);
  }
  return whole;
}
