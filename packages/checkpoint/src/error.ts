import { instanceOfBrand, VoxgradError } from '@voxgrad/core';

/** Stable codes of {@link CheckpointError}. */
export type CheckpointErrorCode =
  | 'IO' // a file or address that cannot be opened, read or written
  | 'FORMAT' // not a kind of file that is read here
  | 'CORRUPT' // contradicts its own format, or ends early
  | 'REFUSED' // asks for a Python object that is more than data
  | 'UNSUPPORTED' // well-formed, but without a counterpart here, such as complex numbers
  | 'LIMIT' // would take more memory or time than an honest file needs
  | 'STATE_DICT' // holds no state dict, or one that cannot be told from others
  | 'VALUE'; // a value that cannot be saved, or an option that makes no sense for the file

/** Where reading or writing broke; each part is present as far as it is known. */
export interface Where {
  /** The file, address or object that was being read. */
  readonly source?: string;
  /** The archive entry or tensor in it. */
  readonly entry?: string;
  /** Byte offset, within the entry if there is one, else within the file. */
  readonly offset?: number;
  /** Keys that lead from the outermost value to the one at fault. */
  readonly path?: readonly PathStep[];
}

export type PathStep = string | number | bigint | boolean | null;

/** A path as Python would index it: `["model"]["conv.weight"]`. */
export const formatPath = (path: readonly PathStep[]): string =>
  path
    .map((step) => `[${typeof step === 'string' ? JSON.stringify(step) : String(step)}]`)
    .join('');

const BRAND = Symbol.for('voxgrad.CheckpointError');

/** A checkpoint that cannot be read or written: what it is, where it broke and what to do. */
export class CheckpointError extends VoxgradError {
  readonly [BRAND] = true;
  override readonly code: CheckpointErrorCode;
  readonly where: Where;
  /** The message without the place. */
  readonly text: string;

  constructor(code: CheckpointErrorCode, text: string, where: Where = {}, options?: ErrorOptions) {
    super(code, locate(text, where), options);
    this.code = code;
    this.where = where;
    this.text = text;
  }

  /** The same error, located in `source`. */
  in(source: string): CheckpointError {
    return new CheckpointError(this.code, this.text, { ...this.where, source }, { cause: this });
  }

  /** The same error, located in `entry` of the file. */
  within(entry: string): CheckpointError {
    return new CheckpointError(this.code, this.text, { ...this.where, entry }, { cause: this });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, CheckpointError, BRAND, value);
  }
}

function locate(text: string, { source, entry, offset, path }: Where): string {
  const place = [
    entry,
    offset === undefined ? undefined : `byte ${offset}`,
    path === undefined || path.length === 0 ? undefined : formatPath(path),
  ];
  const inside = place.filter((part) => part !== undefined).join(', ');
  return [source, inside, text].filter((part) => part !== undefined && part !== '').join(': ');
}

/** What went wrong in a caught value, for a message. */
export const reason = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
