// A pickle machine that can build data and nothing else (see values.ts). It knows the opcodes that
// PyTorch's files contain and the names on the allow list (globals.ts), and never looks a name up
// anywhere else. Semantics follow CPython's Lib/pickle.py.

import { CheckpointError, type Where } from '../error.js';
import { ByteReader } from './bytes.js';
import { findGlobal, isHarmful } from './globals.js';
import { Op } from './opcodes.js';
import {
  Buildable,
  BYTES_WORK,
  type CallContext,
  checkKey,
  DICT_WORK,
  InertObject,
  PyDict,
  PyGlobal,
  PySet,
  PyTuple,
  type PyValue,
  UnknownGlobal,
} from './values.js';

/**
 * Bound on opcodes plus the work of what they call. A unit stands for some 60 bytes of memory, so
 * that all of them are less than 300 MB; what takes more pays for it (`CallContext.spend`). Real
 * checkpoints of thousands of tensors stay below a million; larger ones have larger pickles.
 */
const MIN_WORK = 2_000_000;
const MAX_WORK = 4_500_000;
const BYTES_PER_WORK = 4;

/** Open at the same time. Python cannot write values that are nested so deep. */
const MAX_MARKS = 10_000;

/** Pickles name an object once, and refer back to it. */
const NAME_WORK = 10;

const TEXT_WORK = 2;

/** A list has room for some items as soon as it has one. */
const LIST_WORK = 2;

/** All empty tuples, as in Python. */
const NOTHING = new PyTuple([]);

/** Longest integer, in bytes. Python writes seeds and hashes of a few dozen bytes at most. */
const MAX_INTEGER_BYTES = 1024;

export interface PickleOptions {
  /** Name of the entry, for messages. */
  readonly entry?: string;
  /** Where in `bytes` the pickle begins. */
  readonly start?: number;
  /** Where in the file `bytes` begin, for messages. */
  readonly fileOffset?: number;
  /** Resolves a persistent id; PyTorch's stand for storages. Without it they are refused. */
  persistentLoad?(id: PyValue, context: CallContext): PyValue;
}

/** Reads one pickle; `end` is the offset after its STOP. */
export function unpickle(
  bytes: Uint8Array<ArrayBuffer>,
  options: PickleOptions = {},
): { value: PyValue; end: number } {
  const machine = new Unpickler(bytes, options);
  return { value: machine.run(), end: machine.offset };
}

class Unpickler implements CallContext {
  readonly #in: ByteReader;
  readonly #options: PickleOptions;
  #stack: PyValue[] = [];
  /** Stacks that were current before each open MARK. */
  readonly #below: PyValue[][] = [];
  readonly #memo = new Map<number, PyValue>();
  #opcodeAt = 0;
  readonly #maxWork: number;
  #work = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>, options: PickleOptions) {
    this.#maxWork = Math.min(MAX_WORK, MIN_WORK + Math.floor(bytes.length / BYTES_PER_WORK));
    this.#in = new ByteReader(bytes, options.entry, options.start, options.fileOffset);
    this.#options = options;
  }

  /** What each opcode does, grouped as in pickletools. */
  static readonly #STEPS = new Map<number, (m: Unpickler) => void>([
    [Op.PROTO, (m) => m.#protocol(m.#in.u8())],
    // Frames only help buffering; what matters is that the announced bytes exist.
    [Op.FRAME, (m) => m.#in.need(m.#in.u64())],

    [Op.NONE, (m) => m.#push(null)],
    [Op.NEWTRUE, (m) => m.#push(true)],
    [Op.NEWFALSE, (m) => m.#push(false)],
    [Op.BININT, (m) => m.#push(m.#in.i32())],
    [Op.BININT1, (m) => m.#push(m.#in.u8())],
    [Op.BININT2, (m) => m.#push(m.#in.u16())],
    [Op.LONG1, (m) => m.#integer(m.#in.u8())],
    [Op.LONG4, (m) => m.#integer(m.#in.u32())],
    [Op.BINFLOAT, (m) => m.#push(m.#in.f64BigEndian())],
    [Op.BINUNICODE, (m) => m.#text(m.#in.u32())],
    [Op.SHORT_BINUNICODE, (m) => m.#text(m.#in.u8())],
    [Op.BINUNICODE8, (m) => m.#text(m.#in.u64())],
    [Op.BINSTRING, (m) => m.#push(m.#in.oldString(m.#in.u32()))],
    [Op.SHORT_BINSTRING, (m) => m.#push(m.#in.oldString(m.#in.u8()))],
    [Op.BINBYTES, (m) => m.#bytes(m.#in.u32())],
    [Op.SHORT_BINBYTES, (m) => m.#bytes(m.#in.u8())],
    [Op.BINBYTES8, (m) => m.#bytes(m.#in.u64())],
    [Op.BYTEARRAY8, (m) => m.#bytes(m.#in.u64())],

    [Op.EMPTY_LIST, (m) => m.#emptyList()],
    [Op.EMPTY_DICT, (m) => m.#emptyDict()],
    [Op.EMPTY_SET, (m) => m.#set([])],
    [Op.EMPTY_TUPLE, (m) => m.#push(NOTHING)],
    [Op.TUPLE1, (m) => m.#push(new PyTuple(m.#popMany(1)))],
    [Op.TUPLE2, (m) => m.#push(new PyTuple(m.#popMany(2)))],
    [Op.TUPLE3, (m) => m.#push(new PyTuple(m.#popMany(3)))],
    [Op.TUPLE, (m) => m.#push(new PyTuple(m.#popMark()))],
    [Op.FROZENSET, (m) => m.#set(m.#popMark(), true)],
    [Op.APPEND, (m) => m.#append(m.#popMany(1))],
    [Op.APPENDS, (m) => m.#append(m.#popMark())],
    [Op.ADDITEMS, (m) => m.#addItems(m.#popMark())],
    [Op.SETITEM, (m) => m.#setItems(m.#popMany(2))],
    [Op.SETITEMS, (m) => m.#setItems(m.#popMark())],

    [Op.MARK, (m) => m.#mark()],
    [Op.POP, (m) => (m.#stack.length > 0 ? m.#pop() : m.#popMark())],
    [Op.POP_MARK, (m) => m.#popMark()],
    [Op.BINPUT, (m) => m.#put(m.#in.u8())],
    [Op.LONG_BINPUT, (m) => m.#put(m.#in.u32())],
    [Op.MEMOIZE, (m) => m.#put(m.#memo.size)],
    [Op.BINGET, (m) => m.#get(m.#in.u8())],
    [Op.LONG_BINGET, (m) => m.#get(m.#in.u32())],

    [Op.GLOBAL, (m) => m.#global(m.#in.line(), m.#in.line())],
    [Op.STACK_GLOBAL, (m) => m.#stackGlobal(m.#popMany(2))],
    [Op.REDUCE, (m) => m.#call(m.#popMany(2))],
    [Op.NEWOBJ, (m) => m.#call(m.#popMany(2))],
    [Op.NEWOBJ_EX, (m) => m.#callWithNames(m.#popMany(3))],
    [Op.BUILD, (m) => m.#build(m.#pop())],
    [Op.BINPERSID, (m) => m.#persistent(m.#pop())],
  ]);

  get offset(): number {
    return this.#in.offset;
  }

  get where(): Where {
    return { entry: this.#in.entry, offset: this.#opcodeAt + this.#in.base };
  }

  error(text: string): CheckpointError {
    return this.#in.error(text, this.#opcodeAt);
  }

  spend(units: number): void {
    this.#work += units;
    if (this.#work > this.#maxWork)
      throw new CheckpointError(
        'LIMIT',
        `the pickle makes more objects than one of ${this.#in.bytes.length} bytes honestly does`,
        this.where,
      );
  }

  run(): PyValue {
    const first = this.#in.peek();
    if (first !== undefined && first !== Op.PROTO)
      throw new CheckpointError(
        'UNSUPPORTED',
        'is no pickle of protocol 2 to 5. Protocols 0 and 1 are not read: save it again in Python ' +
          'with torch.save(torch.load(path), other), whose pickle_protocol is 2',
        this.where,
      );
    for (;;) {
      this.#opcodeAt = this.offset;
      this.spend(1);
      const opcode = this.#in.u8();
      if (opcode === Op.STOP) return this.#stop();
      const step = Unpickler.#STEPS.get(opcode);
      if (step === undefined)
        throw this.error(
          `pickle opcode 0x${opcode.toString(16).padStart(2, '0')} does not occur in files of torch.save`,
        );
      step(this);
    }
  }

  #stop(): PyValue {
    const value = this.#pop();
    if (this.#stack.length > 0 || this.#below.length > 0)
      throw this.error('the pickle stops with values left over');
    return value;
  }

  #protocol(version: number): void {
    if (version < 2 || version > 5) throw this.error(`pickle protocol ${version} is not known`);
  }

  // ---- stack and memo ----

  #push(value: PyValue): void {
    this.#stack.push(value);
  }

  #pop(): PyValue {
    const value = this.#stack.pop();
    if (value === undefined) throw this.error('takes a value from an empty stack');
    return value;
  }

  #popMany(count: number): PyValue[] {
    if (this.#stack.length < count) throw this.error('takes values from an empty stack');
    return this.#stack.splice(this.#stack.length - count, count);
  }

  #mark(): void {
    if (this.#below.length === MAX_MARKS)
      throw new CheckpointError(
        'LIMIT',
        `values are nested more than ${MAX_MARKS} deep`,
        this.where,
      );
    this.#below.push(this.#stack);
    this.#stack = [];
  }

  /** Values since the last MARK. */
  #popMark(): PyValue[] {
    const below = this.#below.pop();
    if (below === undefined) throw this.error('needs a MARK, but none is open');
    const values = this.#stack;
    this.#stack = below;
    return values;
  }

  #top(): PyValue {
    const value = this.#stack.at(-1);
    if (value === undefined) throw this.error('needs a value on the stack');
    return value;
  }

  #put(index: number): void {
    this.#memo.set(index, this.#top());
  }

  #get(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined) throw this.error(`memo ${index} is read before it is set`);
    this.#push(value);
  }

  // ---- values ----

  #integer(length: number): void {
    if (length > MAX_INTEGER_BYTES) throw this.error(`an integer of ${length} bytes`);
    this.spend(length >> 3);
    this.#push(this.#in.integer(length));
  }

  #text(length: number): void {
    this.spend(TEXT_WORK);
    this.#push(this.#in.string(length));
  }

  #bytes(length: number): void {
    this.spend(BYTES_WORK);
    this.#push(this.#in.copy(length));
  }

  #set(items: PyValue[], frozen = false): void {
    this.spend(1);
    this.#push(new PySet(items, frozen));
  }

  // ---- containers ----

  #append(values: PyValue[]): void {
    const top = this.#top();
    const list = top instanceof InertObject ? top.items : top;
    if (!Array.isArray(list)) throw this.error('appends to something that is not a list');
    for (const value of values) list.push(value);
  }

  #addItems(values: PyValue[]): void {
    const set = this.#top();
    if (!(set instanceof PySet || set instanceof InertObject))
      throw this.error('adds to something that is not a set');
    for (const value of values) set.items.push(value);
  }

  #emptyList(): void {
    this.spend(LIST_WORK);
    this.#push([]);
  }

  #emptyDict(): void {
    this.spend(DICT_WORK);
    this.#push(new PyDict());
  }

  #setItems(values: PyValue[]): void {
    this.spend(values.length >> 1);
    const dict = this.#top();
    if (!(dict instanceof PyDict || dict instanceof InertObject))
      throw this.error('sets a key of something that is not a dict');
    if (values.length % 2 !== 0) throw this.error('sets keys with a value missing');
    for (let i = 0; i < values.length; i += 2) {
      checkKey(values[i], this);
      dict.entries.set(values[i], values[i + 1]);
    }
  }

  // ---- objects ----

  #global(module: string, name: string): void {
    this.spend(NAME_WORK);
    if (isHarmful(module, name)) throw this.#refuse(module, name);
    const found = findGlobal(module, name);
    this.#push(found ?? new UnknownGlobal(`${module}.${name}`, this.where));
  }

  #stackGlobal([module, name]: PyValue[]): void {
    if (typeof module !== 'string' || typeof name !== 'string')
      throw this.error('names an object by something other than texts');
    this.#global(module, name);
  }

  #refuse(module: string, name: string): CheckpointError {
    return new CheckpointError(
      'REFUSED',
      `names the Python object ${JSON.stringify(`${module}.${name}`)}, which runs code or reaches ` +
        'the system: that has no place in a checkpoint, and the file may be made to do harm. Here nothing in a file ' +
        'is run. Do not load it in Python; get the weights from elsewhere',
      this.where,
    );
  }

  #call([callee, args]: PyValue[]): void {
    if (!(callee instanceof PyGlobal) || callee.call === undefined)
      throw this.error('calls something that cannot be called');
    if (!(args instanceof PyTuple)) throw this.error('calls with arguments that are not a tuple');
    this.#push(callee.call(args.items, this));
  }

  /** `class.__new__(*args, **names)`; no class on the allow list takes names. */
  #callWithNames([callee, args, names]: PyValue[]): void {
    if (!(names instanceof PyDict)) throw this.error('calls with names that are not a dict');
    const known = callee instanceof PyGlobal && !(callee instanceof UnknownGlobal);
    if (known && names.entries.size > 0) throw this.error('calls with arguments by name');
    this.#call([callee, args]);
  }

  #build(state: PyValue): void {
    const object = this.#top();
    if (object instanceof Buildable) object.build(state, this);
    else if (object instanceof PyDict && state instanceof PyDict) object.attributes = state;
    else throw this.error('sets the state of an object that has none');
  }

  #persistent(id: PyValue): void {
    if (this.#options.persistentLoad === undefined)
      throw this.error('refers to a storage where none is expected');
    this.#push(this.#options.persistentLoad(id, this));
  }
}
