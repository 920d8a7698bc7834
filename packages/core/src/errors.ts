import { instanceOfBrand } from './shared.js';

/** Stable codes of {@link VoxgradError}; programs may branch on them, messages may change. */
export type ErrorCode =
  | 'SHAPE' // sizes that do not fit together
  | 'DTYPE' // an element type that the operation or device does not take
  | 'ARGUMENT' // a value outside its range or of the wrong kind
  | 'DEVICE' // a device is missing, mixed, or cannot do what was asked
  | 'STRATEGY' // no strategy can run a call, or a forced one cannot
  | 'AUTOGRAD' // misuse of the tape
  | 'MEMORY' // more elements than the runtime can hold
  | 'UNSUPPORTED' // legal in PyTorch, not available here
  | (string & {}); // packages and devices add their own, such as CANN codes

const ERROR = Symbol.for('voxgrad.Error');
const INDEX_ERROR = Symbol.for('voxgrad.IndexError');

/** Every error that voxgrad throws on purpose. `code` is stable, `message` is for people. */
export class VoxgradError extends Error {
  readonly [ERROR] = true;
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, VoxgradError, ERROR, value);
  }
}

/** An index outside its dimension; kernels know the index, operations the dimension. */
export class IndexError extends VoxgradError {
  readonly [INDEX_ERROR] = true;

  constructor(
    readonly index: number,
    readonly size: number,
    axis?: number,
  ) {
    const which = axis === undefined ? '' : ` ${axis}`;
    super('ARGUMENT', `index ${index} is out of bounds for dimension${which} with size ${size}`);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, IndexError, INDEX_ERROR, value);
  }
}

/** Runs a kernel; an index that it refuses is reported for `axis`. */
export function alongDimension<T>(axis: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof IndexError ? new IndexError(error.index, error.size, axis) : error;
  }
}

/** Names `operation` as the one who asked, where `run` fails for want of memory. */
export function askingForMemory<T>(operation: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw whoAsked(operation, error);
  }
}

/** `error`, with `operation` as the one who asked, if it is a want of memory that nobody named. */
export function whoAsked(operation: string, error: unknown): unknown {
  if (!(error instanceof VoxgradError && error.code === 'MEMORY')) return error;
  if (!error.message.startsWith('cannot allocate')) return error; // named already, further in
  return new VoxgradError('MEMORY', `${operation}(): ${error.message}`, { cause: error });
}

/** An error with the code SHAPE. */
export const shapeError = (message: string) => new VoxgradError('SHAPE', message);
/** An error with the code DTYPE. */
export const dtypeError = (message: string) => new VoxgradError('DTYPE', message);
/** An error with the code ARGUMENT. */
export const argumentError = (message: string) => new VoxgradError('ARGUMENT', message);
/** An error with the code AUTOGRAD. */
export const autogradError = (message: string) => new VoxgradError('AUTOGRAD', message);
