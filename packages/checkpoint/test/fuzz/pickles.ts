// Pickles as lists of opcodes with their arguments, which can be changed and written again.

import { Op } from '../../src/torch/opcodes.js';
import { bytes, u32, u64 } from '../hand-made.js';
import type { Chooser } from './random.js';
import { NUMBERS, WORDS } from './words.js';

interface Token {
  readonly op: number;
  /** What follows the opcode; of texts and bytes without their length. */
  readonly arg: Uint8Array;
  /** The length that is written; that of `arg` if undefined. */
  readonly says?: number;
}

/** Bytes of the length that stands before a text. */
const LENGTHS: ReadonlyMap<number, 1 | 4 | 8> = new Map([
  [Op.BINUNICODE, 4],
  [Op.SHORT_BINUNICODE, 1],
  [Op.BINUNICODE8, 8],
  [Op.BINSTRING, 4],
  [Op.SHORT_BINSTRING, 1],
  [Op.BINBYTES, 4],
  [Op.SHORT_BINBYTES, 1],
  [Op.BINBYTES8, 8],
  [Op.BYTEARRAY8, 8],
  [Op.LONG1, 1],
  [Op.LONG4, 4],
]);

/** Bytes of an argument of one size. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [Op.PROTO, 1],
  [Op.FRAME, 8],
  [Op.BININT, 4],
  [Op.BININT1, 1],
  [Op.BININT2, 2],
  [Op.BINFLOAT, 8],
  [Op.BINPUT, 1],
  [Op.LONG_BINPUT, 4],
  [Op.BINGET, 1],
  [Op.LONG_BINGET, 4],
]);

const TEXTS: readonly number[] = [Op.BINUNICODE, Op.SHORT_BINUNICODE, Op.BINUNICODE8];
const OPS: readonly number[] = Object.values(Op);

const latin1 = (content: Uint8Array): string => Buffer.from(content).toString('latin1');

/** The opcodes of an honest pickle, up to its STOP; `length` is where it ends. */
export function tokensOf(pickle: Uint8Array): { tokens: Token[]; length: number } {
  const tokens: Token[] = [];
  const view = new DataView(pickle.buffer, pickle.byteOffset, pickle.length);
  let at = 0;
  for (;;) {
    const op = pickle[at++];
    const prefix = LENGTHS.get(op);
    let length = SIZES.get(op) ?? 0;
    if (prefix !== undefined) {
      length = prefix === 1 ? pickle[at] : view.getUint32(at, true);
      at += prefix;
    } else if (op === Op.GLOBAL)
      length = pickle.indexOf(0x0a, pickle.indexOf(0x0a, at) + 1) + 1 - at;
    tokens.push({ op, arg: pickle.slice(at, at + length) });
    at += length;
    if (op === Op.STOP) return { tokens, length: at };
    if (at > pickle.length) throw new Error('no honest pickle');
  }
}

function written({ op, arg, says = arg.length }: Token): Uint8Array {
  const prefix = LENGTHS.get(op);
  if (prefix === undefined) return bytes(op, arg);
  const length = prefix === 1 ? bytes(says & 255) : prefix === 4 ? u32(says) : u64(says);
  return bytes(op, length, arg);
}

export const pickleOf = (tokens: readonly Token[]): Uint8Array<ArrayBuffer> =>
  bytes(...tokens.map(written));

/** A pickle of protocol 2 as a later one writes it. */
export function inProtocol(pickle: Uint8Array, protocol: 3 | 4 | 5): Uint8Array<ArrayBuffer> {
  const { tokens } = tokensOf(pickle);
  const body = tokens.slice(1).flatMap((token): Token[] => {
    if (protocol === 3) return [token];
    const { op, arg } = token;
    if (op === Op.BINUNICODE && arg.length < 256) return [{ op: Op.SHORT_BINUNICODE, arg }];
    if (op === Op.BINPUT || op === Op.LONG_BINPUT) return [{ op: Op.MEMOIZE, arg: bytes() }];
    if (op !== Op.GLOBAL) return [token];
    const names = latin1(arg).split('\n').slice(0, 2);
    const texts = names.map((name) => ({ op: Op.SHORT_BINUNICODE, arg: bytes(name) }));
    return [...texts, { op: Op.STACK_GLOBAL, arg: bytes() }];
  });
  const content = pickleOf(body);
  const frame = protocol === 3 ? bytes() : bytes(Op.FRAME, u64(content.length));
  return bytes(Op.PROTO, protocol, frame, content);
}

const textToken = (text: string): Token => ({
  op: Op.BINUNICODE,
  arg: new TextEncoder().encode(text),
});

const integerToken = (n: bigint): Token => ({
  op: Op.LONG1,
  arg: new Uint8Array(BigInt64Array.of(n).buffer),
});

const globalToken = (name: string): Token => {
  const dot = name.lastIndexOf('.');
  return { op: Op.GLOBAL, arg: bytes(`${name.slice(0, dot)}\n${name.slice(dot + 1)}\n`) };
};

const plain = (op: number): Token => ({ op, arg: bytes() });

const GLOBALS: readonly string[] = [
  ...['OrderedDict', 'Counter', 'defaultdict', 'deque'].map((name) => `collections.${name}`),
  ...['set', 'frozenset', 'bytearray', 'bytes', 'complex', 'int', 'list', 'tuple', 'dict'].map(
    (name) => `builtins.${name}`,
  ),
  ...['getattr', 'eval', '__proto__', 'constructor'].map((name) => `builtins.${name}`),
  ...['_rebuild_tensor', '_rebuild_tensor_v2', '_rebuild_tensor_v3', '_rebuild_parameter'].map(
    (name) => `torch._utils.${name}`,
  ),
  ...['sparse_tensor', 'qtensor', 'meta_tensor_no_storage', 'device_tensor_from_numpy'].map(
    (name) => `torch._utils._rebuild_${name}`,
  ),
  ...['FloatStorage', 'LongStorage', 'BoolStorage', 'UntypedStorage', 'ComplexFloatStorage'].map(
    (name) => `torch.${name}`,
  ),
  ...['Size', 'device', 'float32', 'uint64', 'bool', 'complex64', 'Tensor'].map(
    (name) => `torch.${name}`,
  ),
  ...['torch._tensor._rebuild_from_type_v2', 'torch.nn.parameter.Parameter', '_codecs.encode'],
  ...['multiarray.scalar', 'multiarray._reconstruct', 'numeric._frombuffer'].map(
    (name) => `numpy.core.${name}`,
  ),
  ...['numpy.dtype', 'numpy.ndarray', 'argparse.Namespace', 'pathlib.PosixPath'],
  ...['datetime.datetime', 'datetime.timedelta', 'datetime.timezone', 'copyreg._reconstructor'],
  ...['torch.nn.modules.conv.Conv3d', 'my.own.Class', 'os.system', 'constructor.prototype'],
  ...['torch.optim.lr_scheduler.OneCycleLR', '__torch__.Net'],
];

/** Runs of opcodes that make much of little. */
const GROWTH: readonly ((n: number, memo: number) => Token[])[] = [
  (n) => Array.from({ length: n }, () => plain(Op.EMPTY_LIST)),
  (n) => Array.from({ length: n }, () => plain(Op.MARK)),
  (n) => [plain(Op.EMPTY_LIST), ...Array.from({ length: n }, () => plain(Op.TUPLE1))],
  (n) => [
    ...Array.from({ length: n }, () => plain(Op.EMPTY_LIST)),
    ...Array.from({ length: n }, () => plain(Op.APPEND)),
  ],
  // Twice as much at each step: ((((), ()), ((), ())), …).
  (n, memo) => [
    plain(Op.EMPTY_TUPLE),
    ...Array.from({ length: n }, () => [
      { op: Op.BINPUT, arg: bytes(memo) },
      { op: Op.BINGET, arg: bytes(memo) },
      plain(Op.TUPLE2),
    ]).flat(),
  ],
  // A list in itself.
  (n, memo) => [
    plain(Op.EMPTY_LIST),
    { op: Op.BINPUT, arg: bytes(memo) },
    ...Array.from({ length: n }, () => [
      { op: Op.BINGET, arg: bytes(memo) },
      plain(Op.APPEND),
    ]).flat(),
  ],
];

function anyToken(choose: Chooser): Token {
  switch (choose.below(5)) {
    case 0:
      return textToken(choose.of(WORDS));
    case 1:
      return integerToken(choose.of(NUMBERS));
    case 2:
      return globalToken(choose.of(GLOBALS));
    default: {
      const op = choose.of(OPS);
      if (op === Op.GLOBAL) return globalToken(choose.of(GLOBALS));
      const size = SIZES.get(op) ?? (LENGTHS.has(op) ? choose.below(9) : 0);
      return { op, arg: Uint8Array.from({ length: size }, () => choose.below(256)) };
    }
  }
}

const isNumber = ({ op }: Token): boolean =>
  op === Op.BININT || op === Op.BININT1 || op === Op.BININT2 || op === Op.LONG1;

const isMemo = ({ op }: Token): boolean =>
  op === Op.BINPUT || op === Op.LONG_BINPUT || op === Op.BINGET || op === Op.LONG_BINGET;

/** Changes `tokens` in place, once; `other` is another pickle to take from. */
function change(tokens: Token[], other: readonly Token[], choose: Chooser): void {
  const at = choose.below(tokens.length);
  const count = choose.length(Math.min(16, tokens.length - at));
  const where = (test: (token: Token) => boolean): number => {
    const places = tokens.flatMap((token, i) => (test(token) ? [i] : []));
    return places.length === 0 ? at : choose.of(places);
  };
  switch (choose.below(14)) {
    case 0:
      tokens.splice(at, count);
      break;
    case 1:
      tokens.splice(at, 0, ...tokens.slice(at, at + count));
      break;
    case 2: {
      const to = choose.below(tokens.length);
      [tokens[at], tokens[to]] = [tokens[to], tokens[at]];
      break;
    }
    case 3:
    case 4:
      tokens[where(isNumber)] = integerToken(choose.of(NUMBERS));
      break;
    case 5: {
      const texts = tokens.filter(({ op }) => TEXTS.includes(op));
      const text =
        choose.oneIn(2) || texts.length === 0 ? textToken(choose.of(WORDS)) : choose.of(texts);
      tokens[where(({ op }) => TEXTS.includes(op))] = text;
      break;
    }
    case 6: {
      const named = tokens.filter(({ op }) => op === Op.GLOBAL);
      const name =
        choose.oneIn(2) || named.length === 0 ? globalToken(choose.of(GLOBALS)) : choose.of(named);
      tokens[where(({ op }) => op === Op.GLOBAL)] = name;
      break;
    }
    case 7: {
      const place = where(isMemo);
      const memos = tokens.filter(isMemo);
      if (memos.length > 0) tokens[place] = { ...tokens[place], arg: choose.of(memos).arg };
      break;
    }
    case 8:
      tokens[at] = anyToken(choose);
      break;
    case 9:
      tokens.splice(at, 0, ...Array.from({ length: count }, () => anyToken(choose)));
      break;
    case 10: {
      const from = choose.below(other.length);
      tokens.splice(at, choose.below(count), ...other.slice(from, from + choose.length(32)));
      break;
    }
    case 11:
      tokens.splice(at, 0, ...choose.of(GROWTH)(choose.length(3000), choose.below(256)));
      break;
    case 12: {
      const place = where(({ op }) => LENGTHS.has(op));
      tokens[place] = { ...tokens[place], says: Number(BigInt.asUintN(32, choose.of(NUMBERS))) };
      break;
    }
    default: {
      const { op, arg } = tokens[at];
      const changed = arg.slice();
      if (arg.length > 0) changed[choose.below(arg.length)] = choose.below(256);
      tokens[at] = { op: choose.oneIn(3) ? choose.of(OPS) : op, arg: changed };
    }
  }
}

/** `pickle` (which may have more behind it) changed in its opcodes. */
export function changePickle(
  pickle: Uint8Array,
  other: Uint8Array,
  choose: Chooser,
): Uint8Array<ArrayBuffer> {
  const { tokens, length } = tokensOf(pickle);
  const otherTokens = tokensOf(other).tokens;
  for (let i = choose.length(4); i > 0 && tokens.length > 0; i--)
    change(tokens, otherTokens, choose);
  return bytes(pickleOf(tokens), pickle.subarray(length));
}
