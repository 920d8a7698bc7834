// The allow list: every Python name that is more than a name here, and what it stands for.
//
// The names are those that torch/_weights_only_unpickler.py of PyTorch allows, NumPy's scalars and
// arrays (numpy.ts), values of Python's library (library.ts), and torch_npu's form of a tensor.

import { DTYPE_NAMES, STORAGE_CLASSES } from './dtypes.js';
import { GETATTR } from './getattr.js';
import { LIBRARY_GLOBALS } from './library.js';
import { NUMPY_GLOBALS } from './numpy.js';
import { TENSOR_GLOBALS } from './tensors.js';
import {
  BYTES_WORK,
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
export function findGlobal(module: string, name: string): PyGlobal | undefined {
  // Names of Python 2, which protocol 2 still uses.
  const now = { __builtin__: 'builtins', copy_reg: 'copyreg' }[module] ?? module;
  return ALLOWED.get(`${now}.${name}`);
}

/** Functions of Python itself that an attack calls and no honest file names. */
const HARMFUL_BUILTINS = [
  'eval exec execfile compile open file input apply breakpoint reload __import__',
  'setattr delattr globals locals vars memoryview',
].flatMap((line) => line.split(' '));

const HARMFUL_MODULES = new Set(
  [
    'os posix nt ntpath posixpath sys subprocess commands popen2 pty shutil socket socketserver ssl',
    'importlib imp runpy code codeop pickle cPickle _pickle marshal shelve dill cloudpickle joblib',
    'ctypes _ctypes cffi signal multiprocessing threading _thread asyncio webbrowser antigravity',
    'urllib urllib2 http httplib httpx requests aiohttp ftplib smtplib telnetlib xmlrpc',
    'tempfile fileinput linecache pdb bdb profile cProfile trace timeit pydoc doctest pip venv',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Whether a file that names `module.name` is out to run something. Nothing would be run in any case;
 * but such a file is not worth loading a part of.
 */
export function isHarmful(module: string, name: string): boolean {
  const [top] = module.split('.');
  if (top === 'builtins' || top === '__builtin__') return HARMFUL_BUILTINS.includes(name);
  return HARMFUL_MODULES.has(top);
}

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

const setClass = (name: string, frozen = false) =>
  new PyGlobal(name, ([initial], context) => {
    const items = initial === undefined ? [] : itemsOf(initial, context);
    context.spend(items.length);
    return new PySet([...items], frozen);
  });

/** `list(items)` and `deque(items, maxlen)`; neither says how long it may become. */
const listOf = ([initial]: readonly PyValue[], context: CallContext): PyValue[] => {
  const items = initial === undefined ? [] : itemsOf(initial, context);
  context.spend(items.length);
  return [...items];
};

/** Protocol 2 has no bytes; they are pickled as `_codecs.encode(text, 'latin1')`. */
function encode(text: PyValue, encoding: PyValue, context: CallContext): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string') throw context.error('encodes something that is not text');
  context.spend(BYTES_WORK + Math.ceil(text.length / 64));
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
  setClass('builtins.frozenset', true),
  new PyGlobal('collections.deque', listOf),
  new PyGlobal('builtins.bytearray', bytesObject),
  new PyGlobal('builtins.bytes', bytesObject),
  new PyGlobal('builtins.complex', () => COMPLEX),
  new PyGlobal('_codecs.encode', ([text, encoding], context) =>
    encode(text ?? null, encoding ?? 'latin1', context),
  ),
  // Default factories of a defaultdict; named, never called.
  ...['int', 'float', 'str', 'bool', 'object', 'type'].map(
    (name) => new PyGlobal(`builtins.${name}`),
  ),
  new PyGlobal('builtins.list', listOf),
  new PyGlobal('builtins.tuple', (args, context) => new PyTuple(listOf(args, context))),
  dictClass('builtins.dict'),
];

const TORCH: readonly PyGlobal[] = [
  new PyGlobal('torch.Size', ([items], context) => new PyTuple(itemsOf(items, context))),
  new PyGlobal('torch.device', device),
  new PyGlobal('torch.serialization._get_layout', first),
  // torch_npu's names of memory layouts. What files hold is laid out plainly.
  new PyGlobal('torch_npu.npu._format.Format', first),
  ...[
    'per_tensor_affine per_channel_affine per_tensor_symmetric per_channel_symmetric',
    'per_channel_affine_float_qparams strided contiguous_format preserve_format',
    'channels_last channels_last_3d',
  ]
    .flatMap((line) => line.split(' '))
    .map((name) => new PyGlobal(`torch.${name}`)),
  ...DTYPE_NAMES,
];

const ALLOWED: ReadonlyMap<string, PyGlobal> = new Map([
  ...[...PLAIN, ...LIBRARY_GLOBALS, ...TORCH, ...TENSOR_GLOBALS, ...NUMPY_GLOBALS, GETATTR].map(
    (global): [string, PyGlobal] => [global.name, global],
  ),
  ...STORAGE_CLASSES.flatMap((type): [string, PyGlobal][] =>
    ['torch', 'torch.storage', 'torch.cuda'].map((module) => [`${module}.${type.name}`, type]),
  ),
]);
