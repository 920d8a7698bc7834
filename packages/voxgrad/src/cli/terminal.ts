// Standard error: notes for everybody, and progress for those who watch.

import { rmSync } from 'node:fs';
import { styleText } from 'node:util';
import type { Style } from './command.js';

export const PLAIN: Style = { strong: (text) => text, faint: (text) => text };
export const COLOURED: Style = {
  strong: (text) => styleText('bold', text),
  faint: (text) => styleText('dim', text),
};

/** Whether a stream is a terminal that has colours, and nobody set NO_COLOR (https://no-color.org). */
export const wantsColours = (stream: NodeJS.WriteStream): boolean =>
  Boolean(stream.isTTY) && (process.env.NO_COLOR ?? '') === '' && stream.hasColors();

/** What a command tells while it runs. */
export interface Terminal {
  /** A line that stays. */
  note(text: string): void;
  /** What goes on now; the next call replaces it. Only a terminal shows it. */
  progress(text: string): void;
  /** Runs `fn`; the file or folder `path` is removed afterwards, and when the program is interrupted. */
  temporary<T>(path: string, fn: () => Promise<T>): Promise<T>;
}

const COLUMNS = 80;

/** The terminal of the program's own thread. */
export class ErrorStream implements Terminal {
  readonly #stream: NodeJS.WriteStream;
  readonly #temporary = new Set<string>();
  readonly #isWatched: boolean;
  #showsProgress = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    // A dumb terminal cannot take a line back.
    this.#isWatched = Boolean(stream.isTTY) && process.env.TERM !== 'dumb';
  }

  note(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
  }

  progress(text: string): void {
    if (!this.#isWatched) return;
    this.clear();
    this.#stream.write(text.slice(0, (this.#stream.columns || COLUMNS) - 1));
    this.#showsProgress = true;
  }

  async temporary<T>(path: string, fn: () => Promise<T>): Promise<T> {
    this.hold(path);
    try {
      return await fn();
    } finally {
      this.release(path);
    }
  }

  /** `path` is temporary from now on. */
  hold(path: string): void {
    this.#temporary.add(path);
  }

  /** Removes what was held. */
  release(path: string): void {
    rmSync(path, { recursive: true, force: true });
    this.#temporary.delete(path);
  }

  /** Takes the progress away. */
  clear(): void {
    if (!this.#showsProgress) return;
    this.#stream.clearLine(0);
    this.#stream.cursorTo(0);
    this.#showsProgress = false;
  }

  /** Removes the progress and everything temporary, at once. */
  interrupted(): void {
    this.clear();
    for (const path of this.#temporary) this.release(path);
  }
}
