// voxgrad inspect: what a checkpoint holds, without reading its tensors.

import { type Inspection, inspect, type TensorInfo } from '@voxgrad/checkpoint';
import { bytesPerElement, isDType, numelOf } from '@voxgrad/core';
import type { CliCommand, Report, Style } from './command.js';
import { columns, counted, formatBytes } from './format.js';
import { matcher, PATTERN_HELP } from './pattern.js';

export const inspectFile: CliCommand = {
  describe: (command) =>
    command
      .name('inspect')
      .description('list the tensors of a checkpoint, without reading them')
      .argument(
        '<file>',
        'a path or http(s) address: .pt, .pth, safetensors, .npy, .npz, model.json',
      )
      .option('--only <pattern>', PATTERN_HELP),
  examples: [
    ['voxgrad inspect weights.pt', 'names, dtypes, shapes and sizes, without reading the tensors'],
    [
      'voxgrad inspect https://example.org/weights.pt --only "encoder.*"',
      'some of them, of a file behind an address',
    ],
    ['voxgrad inspect weights.pt --json', 'for a program; byte ranges too'],
  ],
  run: async ([file], { only }, terminal) => {
    const isWanted = typeof only === 'string' ? matcher(only) : () => true;
    terminal.progress(`reading ${file}`);
    const found = await inspect(file);
    return reportOf(
      file,
      found,
      listed(found.tensors).filter(({ name }) => isWanted(name)),
    );
  },
};

interface ListedTensor extends TensorInfo {
  readonly elements: number;
  /** Bytes of the elements; undefined where the format does not say. */
  readonly size?: number;
  /** The tensor listed before that has the same elements. */
  readonly sameAs?: string;
}

function listed(tensors: readonly TensorInfo[]): ListedTensor[] {
  const firsts = new Map<string, string>();
  return tensors.map((tensor) => {
    const { name, dtype, shape, strides, bytes, entry } = tensor;
    const elements = numelOf(shape);
    const span = bytes && bytes[1] - bytes[0];
    const size = isDType(dtype) ? elements * bytesPerElement(dtype) : span;
    const place = bytes && span ? JSON.stringify([entry, bytes, dtype, shape, strides]) : undefined;
    const first = place === undefined ? undefined : firsts.get(place);
    if (place !== undefined && first === undefined) firsts.set(place, name);
    return {
      ...tensor,
      elements,
      ...(size !== undefined && { size }),
      ...(first !== undefined && { sameAs: first }),
    };
  });
}

const total = (tensors: readonly ListedTensor[], of: 'elements' | 'size'): number =>
  tensors.reduce((sum, tensor) => sum + (tensor.sameAs === undefined ? (tensor[of] ?? 0) : 0), 0);

function reportOf(file: string, found: Inspection, tensors: readonly ListedTensor[]): Report {
  const { format, size, metadata, outline, unreadable, stateDictPrefix } = found;
  const totals = {
    tensors: tensors.length,
    elements: total(tensors, 'elements'),
    bytes: total(tensors, 'size'),
    unreadable: tensors.filter((tensor) => tensor.unreadable !== undefined).length,
  };
  return {
    json: { file, format, size, totals, tensors, metadata, outline, unreadable, stateDictPrefix },
    text: function* (style) {
      yield style.strong(`${file}: ${format}, ${formatBytes(size)}`);
      if (outline)
        yield* section(
          'holds',
          outline.map(({ key, holds }) => [key, holds]),
          style,
        );
      if (metadata) yield* section('metadata', Object.entries(metadata), style);
      yield* section('tensors', tensors.map(row), style);
      if (unreadable)
        yield* section(
          'cannot be read',
          unreadable.map(({ name, unreadable: why }) => [name, why ?? '']),
          style,
        );
      yield `${counted(totals.tensors, 'tensor')}, ${counted(totals.elements, 'element')}, ${formatBytes(totals.bytes)}${advice(found)}`;
    },
  };
}

/** Where the state dict is, if it is not the whole. */
const advice = ({ stateDictPrefix }: Inspection): string =>
  stateDictPrefix ? `; state dict at ${JSON.stringify(stateDictPrefix.replace(/\.$/, ''))}` : '';

const row = ({ name, dtype, shape, size, sameAs, unreadable }: ListedTensor): string[] => [
  name === '' ? '(the tensor itself)' : name,
  dtype,
  `[${shape.join(', ')}]`,
  size === undefined ? '' : formatBytes(size),
  unreadable ?? (sameAs === undefined ? '' : `the same as ${sameAs}`),
];

function* section(title: string, rows: readonly (readonly string[])[], style: Style) {
  if (rows.length === 0) return;
  yield style.faint(title);
  for (const line of columns(rows)) yield `  ${line}`;
}
