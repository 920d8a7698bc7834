// What the stack of a device would print without failing.

/** A line of that kind. */
export interface Logged {
  readonly level: 'error' | 'warning';
  /** CANN's code, where the line has one. */
  readonly code?: string;
  readonly message: string;
  /** Where the text is written down; null where it is inferred. */
  readonly source: string | null;
}

/** The lines of one device, each once. */
export class Log {
  readonly #lines = new Map<string, Logged>();

  add(line: Logged): void {
    this.#lines.set(`${line.code} ${line.message}`, line);
  }

  get lines(): readonly Logged[] {
    return [...this.#lines.values()];
  }
}

const logs = new WeakMap<object, Log>();

/** The log of `device`. */
export function logOf(device: object): Log {
  const log = logs.get(device) ?? new Log();
  logs.set(device, log);
  return log;
}
