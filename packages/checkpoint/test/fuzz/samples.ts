// Small honest files of every format, in parts: what fuzzing starts from.

import type { Format } from '../../src/format.js';
import { fixture } from '../fixture-files.js';
import { bytes, entriesOf, py, u64 } from '../hand-made.js';
import { type Built, npy, rowOf, safetensors, tar, type ZipOptions, zip } from './containers.js';
import { inProtocol, tokensOf } from './pickles.js';

export interface Part {
  /** How it can be changed and still be read by someone: by opcode, by word, or by byte. */
  readonly kind: 'pickle' | 'text' | 'bytes';
  readonly content: Uint8Array;
}

export interface Sample {
  readonly name: string;
  readonly format: Format;
  readonly parts: readonly Part[];
  /** The file of these contents of the parts; of several files, the main one. */
  build(contents: readonly Uint8Array[]): Built;
  /** Names of other files beside it, with the number of the part that each is. */
  readonly beside?: Readonly<Record<string, number>>;
}

/** The content of a file, or of several by their names. */
export type Input = Uint8Array<ArrayBuffer> | Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

export const MAIN = 'model.json';

/** `main` as an input, with what is beside it. */
export function inputOf(
  sample: Sample,
  main: Uint8Array<ArrayBuffer>,
  contents: readonly Uint8Array[],
): Input {
  if (sample.beside === undefined) return main;
  const beside = Object.entries(sample.beside).map(([name, i]) => [
    name,
    Uint8Array.from(contents[i]),
  ]);
  return { [MAIN]: main, ...Object.fromEntries(beside) };
}

export const contentsOf = (sample: Sample): Uint8Array[] =>
  sample.parts.map(({ content }) => content);

type Entries = Readonly<Record<string, Uint8Array>>;

const kindOf = (name: string): Part['kind'] => (name.endsWith('.pkl') ? 'pickle' : 'bytes');

function zipSample(name: string, format: Format, entries: Entries, options?: ZipOptions): Sample {
  const names = Object.keys(entries);
  return {
    name,
    format,
    parts: names.map((entry) => ({ kind: kindOf(entry), content: entries[entry] })),
    build: (contents) =>
      zip(
        names.map((entry, i) => ({ name: entry, content: contents[i] })),
        options,
      ),
  };
}

const torchSample = (name: string, entries: Entries, options?: ZipOptions) =>
  zipSample(name, 'torch-zip', entries, options);

const f32 = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

const bigEndian = (content: Uint8Array, unit: number): Uint8Array =>
  content.map((_, i) => content[i - (i % unit) + unit - 1 - (i % unit)]);

const tensor = (storage: Uint8Array, ...shape: number[]): Uint8Array =>
  py.call(
    py.name('torch._utils', '_rebuild_tensor_v2'),
    storage,
    py.int(0),
    py.ints(...shape),
    py.ints(...shape.map((_, i) => shape.slice(i + 1).reduce((product, n) => product * n, 1))),
    py.false,
    py.none,
  );

const dictOf = (entries: Entries): Uint8Array =>
  bytes('}(', ...Object.entries(entries).flatMap(([key, value]) => [py.text(key), value]), 'u');

/** Values that training scripts keep beside tensors. */
const EXTRAS = dictOf({
  weight: tensor(py.storage('FloatStorage', '0', 6), 2, 3),
  list: bytes('](', py.int(1), py.text('a'), 'G', new Uint8Array(8), py.none, py.true, 'e'),
  set: py.call(py.name('__builtin__', 'set'), bytes('](', py.int(1), py.text('x'), 'e')),
  array: bytes(
    py.call(
      py.name('numpy.core.multiarray', '_reconstruct'),
      py.name('numpy', 'ndarray'),
      py.ints(0),
      py.text('b'),
    ),
    py.tuple(
      py.int(1),
      py.ints(2),
      bytes(
        py.call(py.name('numpy', 'dtype'), py.text('f4'), py.int(0), py.int(1)),
        py.tuple(
          py.int(3),
          py.text('<'),
          py.none,
          py.none,
          py.none,
          py.int(-1),
          py.int(-1),
          py.int(0),
        ),
        'b',
      ),
      py.false,
      py.call(py.name('_codecs', 'encode'), py.text('abcdefgh'), py.text('latin1')),
    ),
    'b',
  ),
  path: py.call(py.name('pathlib', 'PosixPath'), py.text('/'), py.text('data')),
  time: py.call(
    py.name('datetime', 'datetime'),
    py.call(
      py.name('_codecs', 'encode'),
      py.text('\x07\x01\x01\x01\x01\x01\x01\x01\x01\x01'),
      py.text('latin1'),
    ),
  ),
  namespace: bytes(py.call(py.name('argparse', 'Namespace')), dictOf({ lr: py.int(1) }), 'b'),
  sparse: py.call(
    py.name('torch._utils', '_rebuild_sparse_tensor'),
    py.call(py.name('torch.serialization', '_get_layout'), py.text('torch.sparse_coo')),
    py.tuple(
      tensor(py.storage('LongStorage', '1', 1), 1, 1),
      tensor(py.storage('FloatStorage', '0', 6), 1),
      py.ints(3),
    ),
  ),
  unknown: bytes(py.call(py.name('my.own', 'Class'), py.int(1)), dictOf({ x: py.int(2) }), 'b'),
});

/** A pickled module: `nn.Sequential(Conv)` with a parameter, a buffer and a submodule. */
const MODULE = bytes(
  py.call(py.name('torch.nn.modules.container', 'Sequential')),
  dictOf({
    _parameters: dictOf({ weight: tensor(py.storage('FloatStorage', '0', 6), 6) }),
    _buffers: dictOf({ count: tensor(py.storage('LongStorage', '1', 1)) }),
    _non_persistent_buffers_set: py.call(
      py.name('__builtin__', 'set'),
      bytes('](', py.text('x'), 'e'),
    ),
    _modules: dictOf({
      0: bytes(
        py.call(py.name('torch.nn.modules.conv', 'Conv3d')),
        dictOf({
          _parameters: dictOf({ bias: tensor(py.storage('FloatStorage', '0', 6), 3) }),
          _buffers: dictOf({}),
          _modules: dictOf({}),
        }),
        'b',
      ),
    }),
    training: py.true,
  }),
  'b',
);

const torchEntries = (value: Uint8Array, more: Entries = {}): Entries => ({
  'a/data.pkl': py.pickle(value),
  'a/data/0': f32(1, 2, 3, 4, 5, 6),
  'a/data/1': u64(7),
  'a/version': bytes('3\n'),
  ...more,
});

/** The five pickles of a file before PyTorch 1.6, and what is behind them. */
function legacySample(name: string, file: Uint8Array): Sample {
  const parts: Part[] = [];
  let at = 0;
  for (let i = 0; i < 5; i++) {
    const { length } = tokensOf(file.subarray(at));
    parts.push({ kind: 'pickle', content: file.slice(at, at + length) });
    at += length;
  }
  // The number of elements of the first storage, and all the rest.
  for (const content of [file.slice(at, at + 8), file.slice(at + 8)])
    parts.push({ kind: 'bytes', content });
  return { name, format: 'torch-legacy', parts, build: rowOf };
}

/** A file before PyTorch 0.2, as in tar.test.ts. */
function tarSample(): Sample {
  const key = py.int(94520000000001n);
  const view = py.int(94520000000009n);
  const int64 = (...values: number[]) => new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  const storages = [
    py.pickle(py.int(1)),
    py.pickle(py.tuple(key, py.text('cpu'), py.name('torch', 'FloatStorage'))),
    u64(6),
    f32(0.5, 1, 2, 3, 4, 5),
    py.pickle(bytes('](', py.tuple(view, key, py.int(2), py.int(3)), 'e')),
  ];
  const tensors = [
    py.pickle(py.int(2)),
    py.pickle(py.tuple(py.int(1), key, py.name('torch', 'FloatTensor'))),
    int64(2, 2, 3, 3, 1, 0),
    py.pickle(py.tuple(py.int(2), key, py.name('torch', 'FloatTensor'))),
    int64(1, 3, 2, 0),
  ];
  const pickle = py.pickle(
    dictOf({ weight: bytes(py.text('1'), 'Q'), bias: bytes(py.text('2'), 'Q') }),
  );
  const info = py.pickle(dictOf({ protocol_version: py.int(1000), little_endian: py.true }));
  const all = [info, pickle, ...tensors, ...storages];
  const isPickle = (content: Uint8Array) => content[0] === 0x80;
  return {
    name: 'tar',
    format: 'torch-tar',
    parts: all.map((content) => ({ kind: isPickle(content) ? 'pickle' : 'bytes', content })),
    build: (contents) =>
      tar([
        { name: 'sys_info', content: contents[0] },
        { name: 'pickle', content: contents[1] },
        { name: 'tensors', content: bytes(...contents.slice(2, 7)) },
        { name: 'storages', content: bytes(...contents.slice(7)) },
      ]),
  };
}

function safetensorsSample(name: string, header: Uint8Array, data: Uint8Array): Sample {
  return {
    name,
    format: 'safetensors',
    parts: [
      { kind: 'text', content: header },
      { kind: 'bytes', content: data },
    ],
    build: ([text, numbers]) => safetensors(text, numbers),
  };
}

function safetensorsFile(name: string, file: Uint8Array): Sample {
  const length = new DataView(file.buffer).getUint32(0, true);
  return safetensorsSample(name, file.slice(8, 8 + length), file.slice(8 + length));
}

const SAFETENSORS_HEADER = bytes(
  JSON.stringify({
    __metadata__: { format: 'pt', __proto__x: 'y' },
    a: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] },
    b: { dtype: 'U64', shape: [1], data_offsets: [16, 24] },
    c: { dtype: 'U16', shape: [2], data_offsets: [24, 28] },
    d: { dtype: 'BOOL', shape: [4], data_offsets: [28, 32] },
    e: { dtype: 'BF16', shape: [0, 3], data_offsets: [32, 32] },
    f: { dtype: 'F8_E4M3', shape: [2], data_offsets: [32, 34] },
    g: { dtype: 'I64', shape: [], data_offsets: [34, 42] },
  }),
);

const npyHeader = (descr: string, fortran: string, shape: string): Uint8Array =>
  bytes(`{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': (${shape}), }\n`);

const npySample = (
  name: string,
  header: Uint8Array,
  data: Uint8Array,
  version?: 1 | 2,
): Sample => ({
  name,
  format: 'npy',
  parts: [
    { kind: 'text', content: header },
    { kind: 'bytes', content: data },
  ],
  build: ([text, numbers]) => npy(text, numbers, version),
});

const RAMP = Uint8Array.from({ length: 24 }, (_, i) => i);

const NPZ: Entries = {
  'a.npy': npy(npyHeader('<f4', 'False', '2, 3'), RAMP).bytes,
  'b/c.npy': npy(npyHeader('>i2', 'True', '3, 4'), RAMP).bytes,
  'scalar.npy': npy(npyHeader('|b1', 'False', ''), bytes(1)).bytes,
};

function layersSample(): Sample {
  const layer = (class_name: string, name: string, inputs: string[]) => ({
    class_name,
    name,
    config: { name, kernel_size: [1, 1, 2] },
    inbound_nodes: inputs.length > 0 ? [inputs.map((input) => [input, 0, 0, {}])] : [],
  });
  const layers = [layer('InputLayer', 'in', []), layer('Conv3D', 'conv', ['in'])];
  const weights = [
    { name: 'conv/kernel', shape: [1, 1, 2, 1, 3], dtype: 'float32' },
    {
      name: 'conv/bias',
      shape: [3],
      dtype: 'float32',
      quantization: { dtype: 'uint8', scale: 0.5, min: -1 },
    },
    { name: 'count', shape: [], dtype: 'int32' },
  ];
  const json = {
    format: 'layers-model',
    modelTopology: {
      model_config: {
        class_name: 'Model',
        config: { name: 'm', layers, output_layers: [['conv', 0, 0]] },
      },
    },
    weightsManifest: [{ paths: ['w1.bin', 'w2.bin'], weights }],
  };
  const data = bytes(f32(1, 2, 3, 4, 5, 6), 1, 2, 3, 9, 0, 0, 0);
  return {
    name: 'layers model',
    format: 'tfjs-layers',
    parts: [
      { kind: 'text', content: bytes(JSON.stringify(json)) },
      { kind: 'bytes', content: data.slice(0, 10) },
      { kind: 'bytes', content: data.slice(10) },
    ],
    build: ([text]) => ({ bytes: Uint8Array.from(text), fields: [] }),
    beside: { 'w1.bin': 1, 'w2.bin': 2 },
  };
}

/** All samples, the smallest of each format first. */
export async function samples(): Promise<Sample[]> {
  const [checkpoint, dtypes, training] = await Promise.all(
    ['checkpoint.pt', 'dtypes.pt', 'training_checkpoint.pt'].map((name) =>
      entriesOf(fixture(name)),
    ),
  );
  const small = dictOf({ w: tensor(py.storage('FloatStorage', '0', 6), 2, 3) });
  const inBig = { 'a/data/0': bigEndian(f32(1, 2, 3, 4, 5, 6), 4), 'a/byteorder': bytes('big') };
  const again = (protocol: 3 | 4 | 5, value: Uint8Array) => ({
    ...torchEntries(value),
    'a/data.pkl': inProtocol(py.pickle(value), protocol),
  });
  return [
    torchSample('small', torchEntries(small)),
    torchSample('checkpoint.pt', checkpoint),
    torchSample('checkpoint.pt deflated', checkpoint, { deflated: true }),
    torchSample('zip64', torchEntries(small), { zip64: true }),
    torchSample('big-endian', torchEntries(small, inBig)),
    torchSample('dtypes.pt', dtypes),
    torchSample('extras', torchEntries(EXTRAS)),
    torchSample('extras in protocol 3', again(3, EXTRAS)),
    torchSample('extras in protocol 4', again(4, EXTRAS)),
    torchSample('extras in protocol 5', again(5, EXTRAS)),
    torchSample('module', torchEntries(MODULE)),
    torchSample('wrapped module', torchEntries(dictOf({ model: MODULE, epoch: py.int(3) }))),
    torchSample('training_checkpoint.pt', training, { deflated: true }),
    legacySample('checkpoint_legacy.pt', fixture('checkpoint_legacy.pt')),
    legacySample('dtypes_legacy.pt', fixture('dtypes_legacy.pt')),
    tarSample(),
    safetensorsSample(
      'all',
      SAFETENSORS_HEADER,
      Uint8Array.from({ length: 42 }, (_, i) => i),
    ),
    safetensorsFile('checkpoint.safetensors', fixture('checkpoint.safetensors')),
    npySample('plain', npyHeader('<f4', 'False', '2, 3'), RAMP),
    npySample('fortran', npyHeader('>f8', 'True', '3,'), RAMP, 2),
    npySample('unsigned', npyHeader('<u2', 'False', '3, 4'), RAMP),
    zipSample('npz', 'npz', NPZ),
    zipSample('npz deflated', 'npz', NPZ, { deflated: true }),
    layersSample(),
  ];
}

/** Those of `formats`; all if there are none. */
export async function chosenSamples(formats: readonly string[]): Promise<Sample[]> {
  const all = await samples();
  return formats.length === 0 ? all : all.filter(({ format }) => formats.includes(format));
}
