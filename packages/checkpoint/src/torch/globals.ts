// The allow list: every Python name that a file may mention, and what it stands for here.
//
// The names are those that torch/_weights_only_unpickler.py of PyTorch allows, NumPy's scalars and
// arrays (numpy.ts), and torch_npu's form of a tensor.

import { DTYPE_NAMES, STORAGE_CLASSES } from './dtypes.js';
import { NUMPY_GLOBALS } from './numpy.js';
import { SCHEDULER_GLOBALS } from './schedulers.js';
import { TENSOR_GLOBALS } from './tensors.js';
import {
  type CallContext,
  checkKey,
  DICT_WORK,
  PyDict,
  PyGlobal,
  PySet,
  PyTuple,
  type PyValue,
  Unsupported,
} from './values.js';

/** The allowed object `module.name`, or undefined. */
export const findGlobal = (module: string, name: string): PyGlobal | undefined =>
  // Python 2 called the module of built-in names __builtin__, and protocol 2 still does.
  ALLOWED.get(`${module === '__builtin__' ? 'builtins' : module}.${name}`);

/** The items of a list, tuple or set. */
function itemsOf(value: PyValue | undefined, context: CallContext): readonly PyValue[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PyTuple || value instanceof PySet) return value.items;
  throw context.error('expected a list, tuple or set');
}

const dictClass = (name: string, takesFactory = false) =>
  new PyGlobal(name, (args, context) => {
    context.spend(DICT_WORK);
    const dict = new PyDict(name);
    const [initial] = args;
    if (takesFactory || initial === undefined) return dict;
    const pairs =
      initial instanceof PyDict
        ? [...initial.entries]
        : itemsOf(initial, context).map((pair) => itemsOf(pair, context));
    context.spend(pairs.length);
    for (const [key, value] of pairs) {
      if (key === undefined || value === undefined)
        throw context.error('a pair with a part missing');
      checkKey(key, context);
      dict.entries.set(key, value);
    }
    return dict;
  });

const setClass = (name: string) =>
  new PyGlobal(name, ([initial], context) => {
    const items = initial === undefined ? [] : itemsOf(initial, context);
    context.spend(items.length);
    return new PySet([...items]);
  });

/** Protocol 2 has no bytes; they are pickled as `_codecs.encode(text, 'latin1')`. */
function encode(text: PyValue, encoding: PyValue, context: CallContext): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string') throw context.error('encodes something that is not text');
  context.spend(Math.ceil(text.length / 64));
  if (encoding === 'utf-8' || encoding === 'utf8') return new TextEncoder().encode(text);
  if (encoding !== 'latin1' && encoding !== 'latin-1' && encoding !== 'ascii')
    throw context.error('encodes text in an encoding other than latin1');
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255) throw context.error('encodes a character that latin1 does not have');
    bytes[i] = code;
  }
  return bytes;
}

function bytesObject(args: readonly PyValue[], context: CallContext): Uint8Array<ArrayBuffer> {
  const [value, encoding = 'latin1'] = args;
  if (value === undefined) return new Uint8Array();
  if (value instanceof Uint8Array) return value;
  return encode(value, encoding, context);
}

function device(args: readonly PyValue[], context: CallContext): string {
  const [type, index] = args;
  if (typeof type !== 'string') throw context.error('a device without a type');
  return typeof index === 'number' ? `${type}:${index}` : type;
}

/** Wrappers of one plain value, such as `_get_layout('torch.sparse_coo')`. */
const first = ([value]: readonly PyValue[], context: CallContext): PyValue => {
  if (value === undefined) throw context.error('a call without its argument');
  return value;
};

const COMPLEX = new Unsupported('a complex number', 'Save its real and imaginary part');

const PLAIN: readonly PyGlobal[] = [
  dictClass('collections.OrderedDict'),
  dictClass('collections.Counter'),
  dictClass('collections.defaultdict', true),
  setClass('builtins.set'),
  setClass('builtins.frozenset'),
  new PyGlobal('builtins.bytearray', bytesObject),
  new PyGlobal('builtins.bytes', bytesObject),
  new PyGlobal('builtins.complex', () => COMPLEX),
  new PyGlobal('_codecs.encode', ([text, encoding], context) =>
    encode(text ?? null, encoding ?? 'latin1', context),
  ),
  // Default factories of a defaultdict; named, never called.
  ...['int', 'float', 'str', 'bool', 'list', 'dict', 'tuple'].map(
    (name) => new PyGlobal(`builtins.${name}`),
  ),
];

const TORCH: readonly PyGlobal[] = [
  new PyGlobal('torch.Size', ([items], context) => new PyTuple(itemsOf(items, context))),
  new PyGlobal('torch.device', device),
  new PyGlobal('torch.serialization._get_layout', first),
  // torch_npu's names of memory layouts. What files hold is laid out plainly.
  new PyGlobal('torch_npu.npu._format.Format', first),
  ...['per_tensor_affine', 'per_channel_affine', 'per_tensor_symmetric'].map(
    (name) => new PyGlobal(`torch.${name}`),
  ),
  ...DTYPE_NAMES,
];

const ALLOWED: ReadonlyMap<string, PyGlobal> = new Map([
  ...[...PLAIN, ...TORCH, ...TENSOR_GLOBALS, ...NUMPY_GLOBALS, ...SCHEDULER_GLOBALS].map(
    (global): [string, PyGlobal] => [global.name, global],
  ),
  ...STORAGE_CLASSES.flatMap((type): [string, PyGlobal][] =>
    ['torch', 'torch.storage', 'torch.cuda'].map((module) => [`${module}.${type.name}`, type]),
  ),
]);
