// Values of Python's own library that training scripts keep in checkpoints: options, paths and
// times. Each becomes plain data.

import {
  Buildable,
  type CallContext,
  DICT_WORK,
  PyDict,
  PyGlobal,
  type PyValue,
} from './values.js';

/** `argparse.Namespace` and `types.SimpleNamespace`: named values, read as a dict. */
export class Namespace extends Buildable {
  attributes: ReadonlyMap<PyValue, PyValue> = new Map();

  build(state: PyValue, context: CallContext): void {
    if (!(state instanceof PyDict)) throw context.error('a namespace without its names');
    this.attributes = state.entries;
  }
}

/** `PosixPath('/', 'data', 'run')`. */
function path(args: readonly PyValue[], separator: string, context: CallContext): string {
  if (!args.every((part) => typeof part === 'string'))
    throw context.error('a path of something other than texts');
  const [root = '.', ...rest] = args;
  const length = args.reduce((sum, part) => sum + part.length, 0);
  context.spend(Math.ceil(length / 16));
  if (rest.length === 0) return root;
  return root.endsWith('/') || root.endsWith('\\')
    ? root + rest.join(separator)
    : [root, ...rest].join(separator);
}

const pathClass = (name: string) =>
  new PyGlobal(name, (args, context) => path(args, name.includes('Windows') ? '\\' : '/', context));

// datetime pickles the fields of a value as bytes, big-endian and in this order: year (2), month,
// day, hour, minute, second, microsecond (3). Python 2 wrote them as a text.

/** What a date or time costs more than other calls, for the making of its text. */
const TIME_WORK = 16;

function fields(value: PyValue | undefined, length: number, context: CallContext): number[] {
  context.spend(TIME_WORK);
  const all = typeof value === 'string' ? Array.from(value, (char) => char.charCodeAt(0)) : value;
  if (!(Array.isArray(all) || all instanceof Uint8Array) || all.length !== length)
    throw context.error(`a date or time that does not have ${length} bytes`);
  return Array.from(all, Number);
}

const pad = (n: number, width = 2): string => String(n).padStart(width, '0');

/** The first bit of the month (of the hour, in a time) is the `fold`, of a clock set back. */
const dateText = ([high, low, month, day]: readonly number[]): string =>
  `${pad(high * 256 + low, 4)}-${pad(month & 127)}-${pad(day)}`;

function timeText([hour, minute, second, ...micro]: readonly number[]): string {
  const microseconds = micro.reduce((sum, byte) => sum * 256 + byte, 0);
  const fraction = microseconds === 0 ? '' : `.${pad(microseconds, 6)}`;
  return `${pad(hour & 127)}:${pad(minute)}:${pad(second)}${fraction}`;
}

/** A time zone as the end of an ISO 8601 text. */
const zoneText = (zone: PyValue | undefined): string => (zone instanceof Zone ? zone.text : '');

class Zone extends Buildable {
  constructor(readonly text: string) {
    super();
  }

  build(): void {}
}

/** `timezone(timedelta)`; a timedelta has become its seconds. */
function timezone([offset]: readonly PyValue[], context: CallContext): Zone {
  if (typeof offset !== 'number' || !(Math.abs(offset) < 86400))
    throw context.error('a time zone without its offset');
  const minutes = Math.floor(Math.abs(offset) / 60);
  return new Zone(`${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`);
}

function seconds(args: readonly PyValue[], context: CallContext): number {
  const [days = 0, secs = 0, micro = 0] = args;
  if (typeof days !== 'number' || typeof secs !== 'number' || typeof micro !== 'number')
    throw context.error('a timedelta of something other than numbers');
  return days * 86400 + secs + micro / 1e6;
}

export const LIBRARY_GLOBALS: readonly PyGlobal[] = [
  ...['argparse.Namespace', 'types.SimpleNamespace'].map(
    (name) =>
      new PyGlobal(name, (_, context) => {
        context.spend(DICT_WORK);
        return new Namespace();
      }),
  ),
  // Python 3.13 moved the classes to pathlib._local.
  ...['pathlib', 'pathlib._local'].flatMap((module) =>
    ['Path', 'PurePath', 'PosixPath', 'PurePosixPath', 'WindowsPath', 'PureWindowsPath'].map(
      (name) => pathClass(`${module}.${name}`),
    ),
  ),
  new PyGlobal('datetime.date', ([value], context) => dateText(fields(value, 4, context))),
  new PyGlobal(
    'datetime.time',
    ([value, zone], context) => timeText(fields(value, 6, context)) + zoneText(zone),
  ),
  new PyGlobal('datetime.datetime', ([value, zone], context) => {
    const bytes = fields(value, 10, context);
    return `${dateText(bytes)}T${timeText(bytes.slice(4))}${zoneText(zone)}`;
  }),
  new PyGlobal('datetime.timedelta', seconds),
  new PyGlobal('datetime.timezone', timezone),
  // Once a string subclass in PyTorch's own checkpoints; `TorchVersion('1.13.1')`.
  new PyGlobal('torch.torch_version.TorchVersion', ([text], context) => {
    if (typeof text !== 'string') throw context.error('a version that is not a text');
    return text;
  }),
  // `_reconstructor(class, object, None)` makes an object of a class without state of its own.
  new PyGlobal('copyreg._reconstructor', ([type], context) => {
    if (!(type instanceof PyGlobal) || type.call === undefined)
      throw context.error('an object without a class');
    return type.call([], context);
  }),
];
