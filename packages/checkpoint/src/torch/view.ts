// What each value of a pickle is here. The one place where that is decided: the list of tensors
// (describe.ts) and the loaded value (materialize.ts) both go by it.

import type { Where } from '../error.js';
import type { Loaded, LoadedKey } from '../value.js';
import { Namespace } from './library.js';
import { isModule } from './modules.js';
import { NumpyArray } from './numpy.js';
import {
  Buildable,
  DTypeName,
  InertObject,
  PyDict,
  PyGlobal,
  PySet,
  PyTuple,
  type PyValue,
  StorageRef,
  TensorRef,
  Unsupported,
} from './values.js';

export type View =
  | { readonly kind: 'plain'; readonly value: Loaded }
  | { readonly kind: 'tensor'; readonly tensor: TensorRef }
  | { readonly kind: 'list' | 'set'; readonly items: readonly PyValue[] }
  | { readonly kind: 'dict'; readonly entries: ReadonlyMap<PyValue, PyValue> }
  | { readonly kind: 'state dict'; readonly dict: PyDict; readonly metadata: PyDict | undefined }
  | { readonly kind: 'module'; readonly module: InertObject }
  | Left;

/** What is left out of what is loaded, and why. */
interface Left {
  readonly kind: 'unreadable';
  readonly code: 'UNSUPPORTED' | 'REFUSED';
  /** Such as `a sparse tensor`. */
  readonly what: string;
  readonly advice: string;
  readonly tensor?: Unsupported['tensor'];
  /** Where it stands in the pickle, if known. */
  readonly where?: Where;
}

const unsupported = (what: string, advice: string, tensor?: Unsupported['tensor']): Left => ({
  kind: 'unreadable',
  code: 'UNSUPPORTED',
  what,
  advice,
  tensor,
});

export function viewOf(value: PyValue): View {
  if (value === null || typeof value !== 'object') return { kind: 'plain', value };
  if (value instanceof Uint8Array) return { kind: 'plain', value };
  if (Array.isArray(value)) return { kind: 'list', items: value };
  if (value instanceof PyTuple) return { kind: 'list', items: value.items };
  if (value instanceof PySet) return { kind: 'set', items: value.items };
  if (value instanceof PyDict) return viewOfDict(value);
  if (value instanceof TensorRef) return { kind: 'tensor', tensor: value };
  if (value instanceof DTypeName) return { kind: 'plain', value: value.shortName };
  if (value instanceof PyGlobal) return { kind: 'plain', value: value.name };
  if (value instanceof Namespace) return { kind: 'dict', entries: value.attributes };
  if (value instanceof InertObject) return viewOfObject(value);
  if (value instanceof Unsupported) return unsupported(value.what, value.advice, value.tensor);
  if (value instanceof StorageRef) return unsupported('a bare storage', 'Save a tensor over it');
  if (value instanceof NumpyArray && value.contents !== undefined) return viewOf(value.contents);
  if (value instanceof Buildable)
    return unsupported('a NumPy object that is not an array', 'Save an array or a number');
  return unsupported('an object of an unknown kind', 'Save tensors and plain values');
}

/** Views of dicts, which take as long to make as they have entries; many places can name one dict. */
const dictViews = new WeakMap<PyDict, View>();

function viewOfDict(dict: PyDict): View {
  const known = dictViews.get(dict);
  if (known !== undefined) return known;
  const view = makeDictView(dict);
  dictViews.set(dict, view);
  return view;
}

function makeDictView(dict: PyDict): View {
  const found = dict.attributes?.entries.get('_metadata');
  const metadata = found instanceof PyDict ? found : undefined;
  if (!holdsTensors(dict, metadata !== undefined)) return { kind: 'dict', entries: dict.entries };
  return metadata !== undefined || dict.entries.size > 0
    ? { kind: 'state dict', dict, metadata }
    : { kind: 'dict', entries: dict.entries };
}

function holdsTensors(dict: PyDict, hasMetadata: boolean): boolean {
  for (const [key, value] of dict.entries) {
    if (typeof key !== 'string') return false;
    // What get_extra_state() of a module returns can be anything.
    if (!isTensor(value) && !(hasMetadata && key.endsWith('_extra_state'))) return false;
  }
  return true;
}

/** Whether `value` is a tensor, be it one that can be loaded or not. */
function isTensor(value: PyValue): boolean {
  if (value instanceof NumpyArray) return value.contents !== undefined;
  return value instanceof TensorRef || value instanceof Unsupported;
}

function viewOfObject(object: InertObject): View {
  if (isModule(object)) return { kind: 'module', module: object };
  // A subclass of dict or list that adds no more than its name.
  if (object.entries.size > 0) return { kind: 'dict', entries: object.entries };
  if (object.items.length > 0) return { kind: 'list', items: object.items };
  return {
    kind: 'unreadable',
    code: 'REFUSED',
    what: `an object of the Python class ${JSON.stringify(object.className)}`,
    advice:
      'Only tensors and plain data are read, and nothing in a file is run. If you trust the file, ' +
      'load it in Python and save what you need: torch.save(model.state_dict(), path)',
    where: object.type.where,
  };
}

/** In words: `a dict of 3`, `a tensor`. */
export function inWords(view: View): string {
  switch (view.kind) {
    case 'tensor':
      return 'a tensor';
    case 'list':
      return `a list of ${view.items.length}`;
    case 'set':
      return `a set of ${view.items.length}`;
    case 'dict':
      return view.entries.size === 0 ? 'an empty dict' : `a dict of ${view.entries.size}`;
    case 'state dict':
      return view.dict.entries.size === 0 ? 'an empty dict' : `a dict of ${view.dict.entries.size}`;
    case 'module':
      return `a module of the class ${view.module.className}`;
    case 'unreadable':
      return view.what;
    case 'plain':
      if (view.value === null) return 'None';
      if (view.value instanceof Uint8Array) return `${view.value.length} bytes`;
      return typeof view.value === 'string' ? 'a text' : `a ${typeof view.value}`;
  }
}

/** Longest text that stands for a tuple as a key, and how deep tuples are looked into. */
const MAX_KEY = 250;
const MAX_KEY_DEPTH = 8;

/**
 * The key of a loaded dict: plain keys as they are, classes by name, and tuples, bytes and
 * frozensets as Python writes them, `(0, 'a')`. Undefined for keys of other kinds.
 */
export function keyOf(key: PyValue): LoadedKey | undefined {
  if (key === null || typeof key !== 'object') return key;
  const text = key instanceof PyGlobal ? key.name : written(key, MAX_KEY_DEPTH);
  return text !== undefined && text.length <= MAX_KEY ? text : undefined;
}

/** Texts of objects, of which one may stand in many tuples. */
const texts = new WeakMap<object, { readonly text: string | undefined }>();

/** `value` as Python's repr() writes it; undefined if it is not made of plain values, or too long. */
function written(value: PyValue, depth: number): string | undefined {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return value.length > MAX_KEY ? undefined : quoted(value);
  if (typeof value !== 'object') return String(value);
  if (depth === 0) return undefined;
  const known = texts.get(value);
  if (known !== undefined) return known.text;
  const text = writtenObject(value, depth);
  texts.set(value, { text });
  return text;
}

function writtenObject(value: object, depth: number): string | undefined {
  if (value instanceof PyGlobal) return value.name;
  if (value instanceof PyTuple) {
    const items = writtenItems(value.items, depth);
    return items && `(${items.join(', ')}${items.length === 1 ? ',' : ''})`;
  }
  if (value instanceof PySet) {
    const items = writtenItems(value.items, depth);
    return items && `frozenset({${items.join(', ')}})`;
  }
  if (value instanceof Uint8Array && value.length <= MAX_KEY)
    return `b${quoted(String.fromCharCode(...value))}`;
  return undefined;
}

function writtenItems(items: readonly PyValue[], depth: number): string[] | undefined {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = written(item, depth - 1);
    if (text === undefined) return undefined;
    length += text.length;
    if (length > MAX_KEY) return undefined;
    texts.push(text);
  }
  return texts;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
