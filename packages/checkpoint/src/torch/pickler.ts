// Writes a value as the protocol 2 pickle that torch.load expects. Tensors become the calls that
// rebuild them over storages, which are written next to the pickle (write.ts).

import { StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError, type PathStep } from '../error.js';
import { MAX_DEPTH } from '../value.js';
import { ByteWriter } from './bytes.js';
import { STORAGE_NAMES } from './dtypes.js';
import type { Layout, SavedStorage } from './layout.js';
import { Op } from './opcodes.js';

const utf8 = new TextEncoder();

export interface Pickled {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The storages that the pickle names: number `i` is called `i`. */
  readonly storages: readonly SavedStorage[];
  /** All tensors in the value, each once. */
  readonly tensors: readonly Tensor[];
}

/**
 * The pickle of `value`.
 * @throws CheckpointError naming the place in `value` of what cannot be saved
 */
export function pickle(value: unknown, layout: Layout): Pickled {
  const pickler = new Pickler(layout);
  const bytes = pickler.run(value);
  return { bytes, storages: pickler.storages, tensors: pickler.tensors };
}

class Pickler {
  readonly tensors: Tensor[] = [];
  readonly #out = new ByteWriter();
  readonly #layout: Layout;
  /** Memo index of each object, and of each name, that has been written. */
  readonly #memo = new Map<object | string, number>();
  readonly #path: PathStep[] = [];
  readonly #storageIndex = new Map<SavedStorage, number>();

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  get storages(): SavedStorage[] {
    return [...this.#storageIndex.keys()];
  }

  run(value: unknown): Uint8Array<ArrayBuffer> {
    this.#out.u8(Op.PROTO);
    this.#out.u8(2);
    this.#value(value);
    this.#out.u8(Op.STOP);
    return this.#out.finish();
  }

  #value(value: unknown): void {
    if (value === null) this.#out.u8(Op.NONE);
    else if (typeof value === 'boolean') this.#out.u8(value ? Op.NEWTRUE : Op.NEWFALSE);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'bigint') this.#long(value);
    else if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'object') this.#object(value);
    else throw this.#error(`${kindOf(value)} cannot be saved`);
  }

  #object(value: object): void {
    if (this.#recall(value)) return;
    if (this.#path.length > MAX_DEPTH)
      throw this.#error(`values nested more than ${MAX_DEPTH} deep cannot be saved`);
    if (value instanceof Tensor) this.#tensor(value);
    else if (value instanceof StateDict) this.#stateDict(value);
    else if (is(value, 'Map')) this.#dict(value, value as ReadonlyMap<unknown, unknown>);
    else if (is(value, 'Set')) this.#set(value as ReadonlySet<unknown>);
    else if (Array.isArray(value)) this.#array(value);
    else if (is(value, 'Uint8Array')) this.#bytes(value as Uint8Array);
    else if (isPlain(value)) this.#dict(value, Object.entries(value));
    else
      throw this.#error(
        `${article(value.constructor?.name ?? 'object')} cannot be saved${adviceOn(value)}`,
      );
  }

  // ---- plain values ----

  #number(value: number): void {
    // Python tells 2 from 2.0. An integral number is an int, as long as that is exact.
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.#out.u8(Op.BINFLOAT);
      this.#out.f64BigEndian(value);
    } else if (value >= 0 && value <= 0xff) {
      this.#out.u8(Op.BININT1);
      this.#out.u8(value);
    } else if (value >= 0 && value <= 0xffff) {
      this.#out.u8(Op.BININT2);
      this.#out.u16(value);
    } else if (value >= -0x80000000 && value <= 0x7fffffff) {
      this.#out.u8(Op.BININT);
      this.#out.i32(value);
    } else this.#long(BigInt(value));
  }

  #long(value: bigint): void {
    let length = 1;
    while (BigInt.asIntN(length * 8, value) !== value) length++;
    if (length > 0xff) throw this.#error('an integer of more than 255 bytes cannot be saved');
    this.#out.u8(Op.LONG1);
    this.#out.u8(length);
    for (let i = 0; i < length; i++)
      this.#out.u8(Number(BigInt.asUintN(8, value >> BigInt(8 * i))));
  }

  #string(value: string): void {
    if (/\p{Surrogate}/u.test(value))
      throw this.#error('a text with half a surrogate pair cannot be saved');
    this.#utf8(utf8.encode(value));
  }

  #utf8(bytes: Uint8Array): void {
    if (bytes.length >= 2 ** 32)
      throw this.#error('a text of 4 GiB or more cannot be saved; save a tensor of uint8');
    this.#out.u8(Op.BINUNICODE);
    this.#out.u32(bytes.length);
    this.#out.append(bytes);
  }

  #bytes(value: Uint8Array): void {
    // Protocol 2 has no bytes: they are text that is encoded when read.
    this.#global('_codecs', 'encode');
    const text = new Uint8Array(2 * value.length);
    let length = 0;
    for (const byte of value) {
      if (byte >= 0x80) text[length++] = 0xc0 | (byte >> 6);
      text[length++] = byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte;
    }
    this.#utf8(text.subarray(0, length));
    this.#string('latin1');
    this.#out.u8(Op.TUPLE2);
    this.#out.u8(Op.REDUCE);
    this.#memoize(value);
  }

  // ---- containers ----
  // Each is memoized before its contents are written, so that a cycle finds it.

  #array(value: readonly unknown[]): void {
    if (isTupleOption(this.#path)) this.#tuple(value);
    else this.#list(value, value);
  }

  #tuple(items: readonly unknown[]): void {
    this.#out.u8(Op.MARK);
    for (let i = 0; i < items.length; i++) this.#under(i, items[i]);
    this.#out.u8(Op.TUPLE);
    this.#memoize(items);
  }

  #list(identity: object, items: readonly unknown[]): void {
    this.#out.u8(Op.EMPTY_LIST);
    this.#memoize(identity);
    if (items.length === 0) return;
    this.#out.u8(Op.MARK);
    // By index: forEach would pass over the holes of a sparse array.
    for (let i = 0; i < items.length; i++) this.#under(i, items[i]);
    this.#out.u8(Op.APPENDS);
  }

  #set(value: ReadonlySet<unknown>): void {
    const items = [...value];
    for (const [i, item] of items.entries())
      if (
        typeof item === 'object' &&
        item !== null &&
        !(item instanceof Tensor || is(item, 'Uint8Array'))
      )
        throw this.#error(
          `a set that holds ${kindOf(item)} (number ${i}) cannot be saved; Python's sets hold plain values`,
        );
    this.#checkDistinct(
      items.filter((item) => isKey(item)),
      'a set',
    );
    this.#global('__builtin__', 'set');
    this.#list({}, items);
    this.#out.u8(Op.TUPLE1);
    this.#out.u8(Op.REDUCE);
    this.#memoize(value);
  }

  #dict(identity: object, entries: Iterable<readonly [unknown, unknown]>): void {
    this.#out.u8(Op.EMPTY_DICT);
    this.#memoize(identity);
    this.#items(entries);
  }

  #stateDict(value: StateDict): void {
    this.#orderedDict();
    this.#memoize(value);
    this.#items(value);
    if (value.metadata === undefined) return;
    // As Module.state_dict() leaves it: an attribute of the OrderedDict, itself an OrderedDict.
    this.#out.u8(Op.EMPTY_DICT);
    this.#string('_metadata');
    this.#orderedDict();
    this.#items(value.metadata);
    this.#out.u8(Op.SETITEM);
    this.#out.u8(Op.BUILD);
  }

  #orderedDict(): void {
    this.#global('collections', 'OrderedDict');
    this.#out.u8(Op.EMPTY_TUPLE);
    this.#out.u8(Op.REDUCE);
  }

  #items(entries: Iterable<readonly [unknown, unknown]>): void {
    const keys: PathStep[] = [];
    this.#out.u8(Op.MARK);
    for (const [key, value] of entries) {
      if (!isKey(key)) throw this.#error(`${kindOf(key)} as the key of a dict cannot be saved`);
      if (Number.isNaN(key))
        throw this.#error('NaN as the key of a dict cannot be saved: Python would not find it');
      keys.push(key);
      this.#value(key);
      this.#under(key, value);
    }
    this.#checkDistinct(keys, 'a dict');
    this.#out.u8(Op.SETITEMS);
  }

  /** In Python 1, 1.0 and True are one key, and the later entry would replace the earlier. */
  #checkDistinct(keys: readonly PathStep[], where: string): void {
    const seen = new Map<number | bigint, PathStep>();
    for (const key of keys) {
      if (typeof key === 'string' || key === null) continue;
      const value = Number.isInteger(Number(key)) ? BigInt(key) : Number(key);
      if (seen.has(value))
        throw this.#error(
          `${kindOf(seen.get(value))} ${String(seen.get(value))} and ${kindOf(key)} ${String(key)} are one in ${where} of Python; use texts`,
        );
      seen.set(value, key);
    }
  }

  // ---- tensors ----

  #tensor(tensor: Tensor): void {
    this.tensors.push(tensor);
    if (PARAMETER in tensor) this.#parameter(tensor);
    else this.#rebuild(tensor, tensor.requiresGrad);
    this.#memoize(tensor);
  }

  /** `_rebuild_parameter(data, requires_grad, OrderedDict())`. */
  #parameter(tensor: Tensor): void {
    this.#global('torch._utils', '_rebuild_parameter');
    this.#out.u8(Op.MARK);
    this.#rebuild(tensor, false);
    this.#out.u8(tensor.requiresGrad ? Op.NEWTRUE : Op.NEWFALSE);
    this.#orderedDict();
    this.#out.u8(Op.TUPLE);
    this.#out.u8(Op.REDUCE);
  }

  /** `_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, OrderedDict())`. */
  #rebuild(tensor: Tensor, requiresGrad: boolean): void {
    const { storage, strides, offset } = this.#layout(tensor);
    this.#global('torch._utils', '_rebuild_tensor_v2');
    this.#out.u8(Op.MARK);
    this.#storage(storage);
    this.#number(offset);
    this.#sizes(tensor.shape);
    this.#sizes(strides);
    this.#out.u8(requiresGrad ? Op.NEWTRUE : Op.NEWFALSE);
    this.#orderedDict();
    this.#out.u8(Op.TUPLE);
    this.#out.u8(Op.REDUCE);
  }

  /** Persistent id `('storage', torch.FloatStorage, key, 'cpu', numel)`. */
  #storage(storage: SavedStorage): void {
    let index = this.#storageIndex.get(storage);
    if (index === undefined) {
      index = this.#storageIndex.size;
      this.#storageIndex.set(storage, index);
    }
    this.#out.u8(Op.MARK);
    this.#string('storage');
    this.#global('torch', STORAGE_NAMES[storage.dtype]);
    this.#string(String(index));
    this.#string('cpu');
    this.#number(storage.length);
    this.#out.u8(Op.TUPLE);
    this.#out.u8(Op.BINPERSID);
  }

  #sizes(sizes: readonly number[]): void {
    this.#out.u8(Op.MARK);
    for (const size of sizes) this.#number(size);
    this.#out.u8(Op.TUPLE);
  }

  // ---- memo and path ----

  #global(module: string, name: string): void {
    const text = `${module}\n${name}\n`;
    if (this.#recall(text)) return;
    this.#out.u8(Op.GLOBAL);
    this.#out.append(utf8.encode(text));
    this.#memoize(text);
  }

  #memoize(key: object | string): void {
    const index = this.#memo.size;
    this.#memo.set(key, index);
    if (index <= 0xff) {
      this.#out.u8(Op.BINPUT);
      this.#out.u8(index);
    } else {
      this.#out.u8(Op.LONG_BINPUT);
      this.#out.u32(index);
    }
  }

  /** Fetches what has been written before, if it has. */
  #recall(key: object | string): boolean {
    const index = this.#memo.get(key);
    if (index === undefined) return false;
    if (index <= 0xff) {
      this.#out.u8(Op.BINGET);
      this.#out.u8(index);
    } else {
      this.#out.u8(Op.LONG_BINGET);
      this.#out.u32(index);
    }
    return true;
  }

  #under(step: PathStep, value: unknown): void {
    this.#path.push(step);
    this.#value(value);
    this.#path.pop();
  }

  #error(text: string): CheckpointError {
    return new CheckpointError('VALUE', text, { path: this.#path.slice(0, 8) });
  }
}

const isKey = (key: unknown): key is PathStep =>
  key === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof key);

/** What nn marks its parameters with, from whichever copy of it they come. */
const PARAMETER = Symbol.for('voxgrad.nn.Parameter');

/** Options of optimizers that are tuples in PyTorch, where a list would not equal them. */
const TUPLE_OPTIONS: readonly PathStep[] = ['betas', 'etas', 'step_sizes'];

/** Whether `path` ends in `["param_groups"][i]["betas"]` or the like. */
const isTupleOption = (path: readonly PathStep[]): boolean =>
  path.at(-3) === 'param_groups' && TUPLE_OPTIONS.includes(path.at(-1) ?? null);

/** By tag and not by instanceof: a value may come from another realm. */
const is = (value: object, tag: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${tag}]`;

/** An object literal of any realm, and not an instance of some class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (is(value, 'Object') && Object.getPrototypeOf(prototype) === null);
}

function adviceOn(value: object): string {
  if (is(value, 'Date')) return '; save its toISOString() or getTime()';
  if (is(value, 'Promise')) return '; await it first';
  if (is(value, 'ArrayBuffer')) return '; save new Uint8Array(buffer)';
  if (ArrayBuffer.isView(value)) return '; make it a tensor first: tensor(array)';
  return 'stateDict' in value ? '; save its stateDict()' : '';
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return article(Array.isArray(value) ? 'array' : typeof value);
}

const article = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
