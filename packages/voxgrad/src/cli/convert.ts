// voxgrad convert: a checkpoint in another format, whole or in part.

import { existsSync, mkdtempSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import {
  CheckpointError,
  type Loaded,
  type LoadedKey,
  load,
  loadStateDict,
  type SaveFormat,
  save,
  type Unreadable,
} from '@voxgrad/checkpoint';
import { DTYPES, type DType, isDType, isFloat, StateDict, Tensor } from '@voxgrad/core';
import { type CliCommand, type Report, UsageError } from './command.js';
import { counted, formatBytes } from './format.js';
import { matcher, PATTERN_HELP } from './pattern.js';
import type { Terminal } from './terminal.js';

/** Formats by the suffix of the file. */
const SUFFIXES: ReadonlyMap<string, SaveFormat> = new Map<string, SaveFormat>([
  ['.pt', 'torch'],
  ['.pth', 'torch'],
  ['.bin', 'torch'],
  ['.ckpt', 'torch'],
  ['.safetensors', 'safetensors'],
  ['.npz', 'npz'],
]);
const FORMATS: readonly string[] = [...new Set(SUFFIXES.values())];

interface Options {
  readonly format?: string;
  readonly dtype?: string;
  readonly only?: string;
  readonly key?: readonly string[];
  readonly stateDict?: boolean;
  readonly stripPrefixes?: boolean;
  readonly force?: boolean;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export const convert: CliCommand = {
  describe: (command) =>
    command
      .name('convert')
      .description('write a checkpoint in another format')
      .argument('<in>', 'a path or http(s) address of any checkpoint that can be read')
      .argument('<out>', `a path; its suffix says the format (${[...SUFFIXES.keys()].join(', ')})`)
      .option('--format <format>', `${FORMATS.join(', ')}, whatever the suffix says`)
      .option('--dtype <dtype>', 'convert floating tensors to this dtype')
      .option('--only <pattern>', PATTERN_HELP)
      .option('--key <key>', 'take what is under this key; more of them lead further in', collect)
      .option('--state-dict', 'take the state dict of the model, wherever it is')
      .option('--strip-prefixes', 'take module. and _orig_mod. off the names')
      .option('--force', 'replace the file that is there'),
  examples: [
    ['voxgrad convert weights.pt weights.safetensors', 'the suffix says the format'],
    [
      'voxgrad convert checkpoint.pt model.safetensors --state-dict --strip-prefixes',
      'the model alone out of a training checkpoint, without module.',
    ],
    [
      'voxgrad convert weights.pt half.pt --dtype float16 --only "decoder.*"',
      'a part of it, in a smaller dtype',
    ],
  ],
  run: async ([input, output], given, terminal) => run(input, output, given, terminal),
};

async function run(
  input: string,
  output: string,
  options: Options,
  terminal: Terminal,
): Promise<Report> {
  const format = formatOf(output, options.format);
  const dtype = dtypeOf(options.dtype);
  if (options.stateDict && options.key)
    throw new UsageError('--state-dict and --key both say what to take; give one of them');
  if (existsSync(output) && !options.force)
    throw new CheckpointError('IO', 'is there already. Pass --force to replace it', {
      source: output,
    });
  terminal.progress(`reading ${input}`);
  const skipped: Unreadable[] = [];
  const value = await read(input, options, (entry) => skipped.push(entry));
  for (const { name, unreadable } of skipped)
    terminal.note(`left out: ${name}: ${unreadable ?? 'has no counterpart'}`);
  const tensors = tensorsIn(value);
  if (tensors.length === 0)
    throw new CheckpointError('VALUE', nothingChosen(options), { source: input });
  if (format !== 'torch') requireNames(value, format, input);
  const written = dtype === undefined ? value : converted(value, converter(dtype, terminal));
  await writeWhole(written, output, format, terminal);
  const bytes = statSync(output).size;
  return {
    json: { input, output, format, tensors: tensors.length, bytes, skipped },
    text: () => [
      `wrote ${output}: ${counted(tensors.length, 'tensor')}, ${formatBytes(bytes)} (${format})`,
    ],
  };
}

const isSaveFormat = (format: string): format is SaveFormat => FORMATS.includes(format);

function formatOf(output: string, given: string | undefined): SaveFormat {
  const format = given ?? SUFFIXES.get(extname(output).toLowerCase());
  if (format === undefined)
    throw new UsageError(
      `the suffix of ${output} does not say a format; write one of ${[...SUFFIXES.keys()].join(', ')}, or ` +
        `--format with one of ${FORMATS.join(', ')}`,
    );
  if (isSaveFormat(format)) return format;
  throw new UsageError(`--format takes ${FORMATS.join(', ')}, not ${format}`);
}

function dtypeOf(given: string | undefined): DType | undefined {
  if (given === undefined) return undefined;
  if (isDType(given) && isFloat(given)) return given;
  const floats = DTYPES.filter(isFloat).join(', ');
  throw new UsageError(`--dtype takes ${floats} (integers stay as they are), not ${given}`);
}

/** What is asked for of the checkpoint, on the CPU. */
async function read(
  input: string,
  { key = [], only, stateDict, stripPrefixes = false }: Options,
  onUnreadable: (entry: Unreadable) => void,
): Promise<Loaded> {
  const matches = only === undefined ? undefined : matcher(only);
  const common = { device: 'cpu', stripPrefixes, onUnreadable };
  if (stateDict)
    return loadStateDict(input, {
      ...common,
      pickledModules: 'tensors',
      ...(matches && { only: matches }),
    });
  const prefix = key.join('.');
  const inside = (name: string): boolean => {
    if (key.length === 0) return matches?.(name) ?? true;
    if (name !== prefix && !name.startsWith(`${prefix}.`)) return false;
    return matches?.(name.slice(prefix.length + 1)) ?? true;
  };
  const value = await load(input, { ...common, only: inside });
  return key.reduce<Loaded>((outer, step) => below(outer, step, input), value);
}

/** What `key` leads to. */
function below(value: Loaded, key: string, source: string): Loaded {
  const entries: [LoadedKey, Loaded][] =
    value instanceof Map ? [...value] : Array.isArray(value) ? [...value.entries()] : [];
  const found = entries.find(([name]) => String(name) === key);
  if (found) return found[1];
  const names = entries.slice(0, 10).map(([name]) => JSON.stringify(String(name)));
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  const more = entries.length > names.length ? `, … (${entries.length} in all)` : '';
  throw new CheckpointError('VALUE', `has no key ${JSON.stringify(key)}; ${there}${more}`, {
    source,
  });
}

function nothingChosen({ only, key }: Options): string {
  if (only !== undefined) return `no tensor matches ${only}. voxgrad inspect lists the names`;
  return `holds no tensors${key ? ' under that key' : ''}. voxgrad inspect lists what there is`;
}

/** Throws unless `value` is a dict of tensors. */
function requireNames(value: Loaded, format: SaveFormat, source: string): void {
  const holds = `${format} holds named tensors alone`;
  const text = 'or write a .pt file, which holds everything';
  if (!(value instanceof Map))
    throw new CheckpointError(
      'VALUE',
      `${holds}, and this is ${value instanceof Tensor ? 'one tensor without a name' : 'no dict'}. Take a dict ` +
        `in it with --key KEY, ${text}`,
      { source },
    );
  const others = [...value].filter(
    ([key, item]) => !(item instanceof Tensor) || typeof key !== 'string',
  );
  if (others.length === 0) return;
  const names = others.slice(0, 8).map(([key]) => JSON.stringify(String(key)));
  const more = others.length > names.length ? ', …' : '';
  throw new CheckpointError(
    'VALUE',
    `${holds}, and ${names.join(', ')}${more} ${others.length === 1 ? 'is' : 'are'} something else. Take the model ` +
      `alone with --state-dict, or one part with --key KEY, ${text}`,
    { source },
  );
}

type Container = Map<LoadedKey, Loaded> | Set<Loaded> | Loaded[];

const isContainer = (value: Loaded): value is Container =>
  value instanceof Map || value instanceof Set || Array.isArray(value);

/** Every tensor, as often as it has a name. A container counts once, though it may be in many places or itself. */
function tensorsIn(value: Loaded): Tensor[] {
  const tensors: Tensor[] = [];
  const seen = new Set<Container>();
  for (const left = [value]; left.length > 0; ) {
    const item = left.pop();
    if (item instanceof Tensor) tensors.push(item);
    if (item === undefined || !isContainer(item) || seen.has(item)) continue;
    seen.add(item);
    for (const inner of item.values()) left.push(inner);
  }
  return tensors;
}

type Change = (tensor: Tensor, name: string) => Tensor;

/**
 * `value` with other tensors in the places of its own. A container that is in many places, or in itself,
 * stays one; its tensors go by the first name.
 */
function converted(value: Loaded, change: Change): Loaded {
  const results = new Map<Container, Container>();
  const left: (() => void)[] = [];
  const convert = (item: Loaded, name: string): Loaded => {
    if (item instanceof Tensor) return change(item, name);
    if (item instanceof StateDict) return convertedDict(item, change);
    if (!isContainer(item)) return item;
    const known = results.get(item);
    if (known) return known;
    const result: Container = emptied(item);
    results.set(item, result);
    const inner = (key: LoadedKey) => (name === '' ? String(key) : `${name}.${key}`);
    // Later, however deep it is.
    left.push(() => {
      if (result instanceof Map && item instanceof Map)
        for (const [key, entry] of item) result.set(key, convert(entry, inner(key)));
      else if (result instanceof Set)
        for (const entry of item.values()) result.add(convert(entry as Loaded, name));
      else if (Array.isArray(result) && Array.isArray(item))
        for (const [i, entry] of item.entries()) result.push(convert(entry, inner(i)));
    });
    return result;
  };
  const whole = convert(value, '');
  for (let fill = left.pop(); fill; fill = left.pop()) fill();
  return whole;
}

const emptied = (container: Container): Container =>
  container instanceof Map ? new Map() : container instanceof Set ? new Set() : [];

function convertedDict(dict: StateDict, change: Change): StateDict {
  const result = new StateDict([...dict].map(([key, tensor]) => [key, change(tensor, key)]));
  result.metadata = dict.metadata;
  return result;
}

/** Floating tensors in `dtype`; one that is there under two names stays one. */
function converter(dtype: DType, terminal: Terminal): Change {
  const known = new Map<Tensor['storage'], { readonly from: Tensor; readonly to: Tensor }[]>();
  return (tensor, name) => {
    if (!isFloat(tensor.dtype) || tensor.dtype === dtype) return tensor;
    const windows = known.get(tensor.storage) ?? [];
    const same = windows.find(({ from }) => geometry(from) === geometry(tensor));
    if (same) return same.to;
    const result = tensor.to(dtype);
    const lost = infinite(result) - infinite(tensor);
    if (lost > 0)
      terminal.note(
        `${name}: ${counted(lost, 'element')} beyond the range of ${dtype} became infinite`,
      );
    known.set(tensor.storage, [...windows, { from: tensor, to: result }]);
    return result;
  };
}

const geometry = ({ shape, strides, offset }: Tensor): string =>
  JSON.stringify([shape, strides, offset]);

function infinite(tensor: Tensor): number {
  const wide = tensor.dtype === 'float64' ? tensor : tensor.to('float32');
  let count = 0;
  for (const element of wide.dataSync()) if (Math.abs(Number(element)) === Infinity) count++;
  return count;
}

/**
 * Writes in a folder beside `output` and moves the file into place at the end, so that nothing of it
 * is seen before, and an interruption can take all of it away.
 */
async function writeWhole(
  value: Loaded,
  output: string,
  format: SaveFormat,
  terminal: Terminal,
): Promise<void> {
  // A link stays, and what it points to is replaced.
  const target = existsSync(output) ? realpathSync(output) : resolve(output);
  let folder: string;
  try {
    folder = mkdtempSync(join(dirname(target), '.voxgrad-'));
  } catch (error) {
    throw new CheckpointError(
      'IO',
      `cannot be written (${error instanceof Error ? error.message : error})`,
      { source: output },
      { cause: error },
    );
  }
  await terminal.temporary(folder, async () => {
    const file = join(folder, basename(target));
    const onProgress = (written: number, total: number) =>
      terminal.progress(`writing ${output}: ${formatBytes(written)} of ${formatBytes(total)}`);
    await save(value, file, { format, onProgress });
    renameSync(file, target);
  });
}
