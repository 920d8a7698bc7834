// A convolution on one line, as command lines and tables have it:
// `x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7`.

import { argumentError, describe, type Needs } from '@voxgrad/core';
import { findFormat } from '../formats/formats.js';
import { nearest } from '../profile/nearest.js';
import type { ConvDescription } from './layer.js';

const EXAMPLE = 'x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7';

/** What may stand before `=`, and the field that it means. */
const NAMES = {
  x: 'input',
  input: 'input',
  w: 'weight',
  weight: 'weight',
  stride: 'stride',
  padding: 'padding',
  dilation: 'dilation',
  groups: 'groups',
  bias: 'bias',
  needs: 'needs',
  transposed: 'transposed',
  output_padding: 'outputPadding',
  outputPadding: 'outputPadding',
  dtype: 'dtype',
  x_format: 'input format',
  w_format: 'weight format',
  grad_format: 'gradOutput format',
} as const;

type Field = (typeof NAMES)[keyof typeof NAMES];

/** The storage formats, as they are written and as `formats` has them. */
const FORMAT_NAMES = [
  ['x_format', 'input'],
  ['w_format', 'weight'],
  ['grad_format', 'gradOutput'],
] as const;

/** Which gradients are wanted, by the letters in `needs=xwb`. */
const NEEDS = ['x', 'w', 'b'] as const;

const fail = (text: string): never => {
  throw argumentError(`${text}; an example is ${JSON.stringify(EXAMPLE)}`);
};

function integers(name: string, text: string): number[] {
  const numbers = text.replace(/^[[(]|[\])]$/g, '').split(/[,x×]/);
  if (!numbers.every((n) => /^\s*\d{1,15}\s*$/.test(n)))
    fail(`expected whole numbers after ${name}=, but got ${JSON.stringify(text)}`);
  return numbers.map(Number);
}

function flag(name: string, text: string): boolean {
  if (text === '' || /^(true|1|yes)$/i.test(text)) return true;
  if (/^(false|0|no|none)$/i.test(text)) return false;
  return fail(`expected true or false after ${name}=, but got ${JSON.stringify(text)}`);
}

function needs(text: string): Needs {
  if (!/^[xwb]*$/.test(text))
    fail(`needs= takes letters of x, w and b, but got ${JSON.stringify(text)}`);
  const [x, w, b] = NEEDS.map((letter) => text.includes(letter));
  return [x, w, b];
}

function valueOf(field: Field, name: string, text: string): unknown {
  if (field === 'dtype') return text;
  if (field.endsWith(' format'))
    return findFormat(/^\d+$/.test(text) ? Number(text) : text, `${name}=`);
  if (field === 'bias' || field === 'transposed') return flag(name, text);
  if (field === 'needs') return needs(text);
  if (field === 'padding' && /^(same|valid)$/.test(text)) return text;
  const list = integers(name, text);
  if (field === 'input' || field === 'weight') return list;
  return list.length === 1 ? list[0] : list;
}

/**
 * What `text` describes. Names are `x`, `w`, `stride`, `padding`, `dilation`, `groups`, `bias`,
 * `needs` (letters of x, w, b), `transposed`, `output_padding`, `dtype`, and the storage formats
 * `x_format`, `w_format`, `grad_format` (a name or an id); sizes of several axes are separated by
 * commas.
 * @throws VoxgradError for an unknown name (with the nearest known ones) or a value that is none
 */
export function parseConv(text: string): ConvDescription {
  const fields: Partial<Record<Field, unknown>> = {};
  if (typeof text !== 'string') fail(`expected a call as text, but got ${describe(text)}`);
  for (const part of text.trim().split(/\s+/)) {
    const [, name, value] =
      /^([A-Za-z_]+)=?(.*)$/.exec(part) ?? fail(`cannot read ${JSON.stringify(part)}`);
    const field = Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : undefined;
    if (field === undefined)
      fail(
        `a convolution has no ${JSON.stringify(name)}; the nearest known names are ` +
          nearest(name, Object.keys(NAMES), 3).join(', '),
      );
    else if (field in fields) fail(`${name} stands twice`);
    else fields[field] = valueOf(field, name, value);
  }
  for (const [field, name] of [
    ['input', 'x'],
    ['weight', 'w'],
  ] as const)
    if (!(field in fields)) fail(`a convolution needs the sizes of ${name}: ${name}=…`);
  const formats: Record<string, unknown> = {};
  for (const [name, tensor] of FORMAT_NAMES) {
    const field = NAMES[name];
    if (field in fields) formats[tensor] = fields[field];
    delete fields[field];
  }
  if (Object.keys(formats).length > 0) return { ...fields, formats } as unknown as ConvDescription;
  return fields as unknown as ConvDescription;
}

const plain = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((v) => (Array.isArray(v) ? v.join(':') : String(v))).join(',')
    : String(value);

/** All axes alike are written once. */
function short(value: unknown): unknown {
  if (!Array.isArray(value) || value.some(Array.isArray)) return value;
  return value.every((v) => v === value[0]) ? value[0] : value;
}

const DEFAULTS: readonly [field: keyof ConvDescription, name: string, usual: unknown][] = [
  ['stride', 'stride', 1],
  ['padding', 'padding', 0],
  ['dilation', 'dilation', 1],
  ['outputPadding', 'output_padding', 0],
  ['groups', 'groups', 1],
];

/** The line that {@link parseConv} reads, without what is the default. */
export function formatConv(conv: ConvDescription): string {
  const parts = [`x=${plain(conv.input)}`, `w=${plain(conv.weight)}`];
  for (const [field, name, usual] of DEFAULTS) {
    const value = short(conv[field]) ?? usual;
    if (value !== usual) parts.push(`${name}=${plain(value)}`);
  }
  if (conv.transposed) parts.push('transposed=true');
  for (const [name, tensor] of FORMAT_NAMES) {
    const format = conv.formats?.[tensor];
    if (format !== undefined) parts.push(`${name}=${format}`);
  }
  return parts.join(' ');
}
