// Writes a value as the protocol 2 pickle that torch.load expects. Tensors become the calls that
// rebuild them over storages, which are written next to the pickle (write.ts).

import { type DType, StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError, type PathStep } from '../error.js';
import { MAX_DEPTH } from '../value.js';
import { ByteWriter } from './bytes.js';
import { STORAGE_NAMES } from './dtypes.js';
import { Op } from './opcodes.js';

/** Where a tensor's elements are in what is saved. */
export interface Placed {
  /** Identity of the storage; tensors with the same one are written over one entry. */
  readonly storage: object;
  readonly dtype: DType;
  /** Elements of the storage. */
  readonly length: number;
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The pickle of `value`, and the storages it names: number `i` is called `i`. */
export function pickle(
  value: unknown,
  place: (tensor: Tensor) => Placed,
): { bytes: Uint8Array<ArrayBuffer>; storages: object[] } {
  const pickler = new Pickler(place);
  return { bytes: pickler.run(value), storages: pickler.storages };
}

class Pickler {
  readonly #out = new ByteWriter();
  readonly #place: (tensor: Tensor) => Placed;
  /** Memo index of each object, and of each name, that has been written. */
  readonly #memo = new Map<object | string, number>();
  readonly #path: PathStep[] = [];
  readonly #storageIndex = new Map<object, number>();

  constructor(place: (tensor: Tensor) => Placed) {
    this.#place = place;
  }

  get storages(): object[] {
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
    else if (value instanceof Map) this.#dict(value, value);
    else if (value instanceof Set) this.#set(value);
    else if (Array.isArray(value)) this.#list(value, value);
    else if (value instanceof Uint8Array) this.#bytes(value);
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
    const bytes = new TextEncoder().encode(value);
    this.#out.u8(Op.BINUNICODE);
    this.#out.u32(bytes.length);
    this.#out.append(bytes);
  }

  #bytes(value: Uint8Array): void {
    // Protocol 2 has no bytes: they are text that is encoded when read.
    this.#global('_codecs', 'encode');
    let text = '';
    for (const byte of value) text += String.fromCharCode(byte);
    this.#string(text);
    this.#string('latin1');
    this.#out.u8(Op.TUPLE2);
    this.#out.u8(Op.REDUCE);
    this.#memoize(value);
  }

  // ---- containers ----
  // Each is memoized before its contents are written, so that a cycle finds it.

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
    this.#global('__builtin__', 'set');
    this.#list({}, [...value]);
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
    this.#out.u8(Op.MARK);
    for (const [key, value] of entries) {
      if (!isKey(key)) throw this.#error(`${kindOf(key)} as the key of a dict cannot be saved`);
      this.#value(key);
      this.#under(key, value);
    }
    this.#out.u8(Op.SETITEMS);
  }

  // ---- tensors ----

  /** `_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, OrderedDict())`. */
  #tensor(tensor: Tensor): void {
    const placed = this.#place(tensor);
    this.#global('torch._utils', '_rebuild_tensor_v2');
    this.#out.u8(Op.MARK);
    this.#storage(placed);
    this.#number(placed.offset);
    this.#sizes(tensor.shape);
    this.#sizes(placed.strides);
    this.#out.u8(tensor.requiresGrad ? Op.NEWTRUE : Op.NEWFALSE);
    this.#orderedDict();
    this.#out.u8(Op.TUPLE);
    this.#out.u8(Op.REDUCE);
    this.#memoize(tensor);
  }

  /** Persistent id `('storage', torch.FloatStorage, key, 'cpu', numel)`. */
  #storage({ storage, dtype, length }: Placed): void {
    let index = this.#storageIndex.get(storage);
    if (index === undefined) {
      index = this.#storageIndex.size;
      this.#storageIndex.set(storage, index);
    }
    this.#out.u8(Op.MARK);
    this.#string('storage');
    this.#global('torch', STORAGE_NAMES[dtype]);
    this.#string(String(index));
    this.#string('cpu');
    this.#number(length);
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
    this.#out.append(new TextEncoder().encode(text));
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

/** An object literal, and not an instance of some class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function adviceOn(value: object): string {
  if (ArrayBuffer.isView(value)) return '; make it a tensor first: tensor(array)';
  return 'stateDict' in value ? '; save its stateDict()' : '';
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'undefined' : article(typeof value);

const article = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
