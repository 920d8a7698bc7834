// Standard error: notes for everybody, and progress for those who watch.

import { styleText } from 'node:util';
import type { Style } from './command.js';

const PLAIN: Style = { strong: (text) => text, faint: (text) => text };
const COLOURED: Style = {
  strong: (text) => styleText('bold', text),
  faint: (text) => styleText('dim', text),
};

/** Colours for a terminal that has them, unless NO_COLOR is set (https://no-color.org). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const unwanted = (process.env.NO_COLOR ?? '') !== '';
  return stream.isTTY && !unwanted && stream.hasColors() ? COLOURED : PLAIN;
}

export class Terminal {
  readonly #stream: NodeJS.WriteStream;
  readonly #undo = new Set<() => void>();
  #showsProgress = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** A line that stays. */
  note(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
  }

  /** What goes on now; the next call replaces it. Only a terminal shows it. */
  progress(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#clear();
    this.#stream.write(text.slice(0, this.#stream.columns - 1));
    this.#showsProgress = true;
  }

  done(): void {
    this.#clear();
  }

  /**
   * Runs `fn`; if the program is interrupted meanwhile, `undo` (which must be synchronous) leaves
   * things as they were before.
   */
  async undoing<T>(undo: () => void, fn: () => Promise<T>): Promise<T> {
    this.#undo.add(undo);
    try {
      return await fn();
    } finally {
      this.#undo.delete(undo);
    }
  }

  /** Undoes what is under way. */
  interrupted(): void {
    this.#clear();
    for (const undo of this.#undo) undo();
  }

  #clear(): void {
    if (!this.#showsProgress) return;
    this.#stream.clearLine(0);
    this.#stream.cursorTo(0);
    this.#showsProgress = false;
  }
}
