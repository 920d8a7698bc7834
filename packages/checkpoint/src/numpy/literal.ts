// The part of Python's literals that headers of .npy files are written in, read without running
// anything: texts, integers, booleans and None, in tuples, lists and dicts.

/** Tuples and lists are arrays; dicts have text keys. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | readonly Literal[]
  | ReadonlyMap<string, Literal>;

/** Records within records go a few steps deep. */
const MAX_DEPTH = 32;

const SPACE = /[ \t\r\n\f]*/y;
const INTEGER = /[+-]?\d+L?/y; // Python 2 wrote 3L
const TEXT = /[ub]?(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/y;
const WORD = /[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** The value that `text` writes, or undefined if it is no literal of these kinds. */
export function parseLiteral(text: string): Literal | undefined {
  const parser = new Parser(text);
  const value = parser.value(0);
  return value !== undefined && parser.atEnd() ? value : undefined;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  value(depth: number): Literal | undefined {
    if (depth > MAX_DEPTH) return undefined;
    if (this.#take('(')) return this.#items(')', depth);
    if (this.#take('[')) return this.#items(']', depth);
    if (this.#take('{')) return this.#dict(depth);
    const text = this.#match(TEXT);
    if (text !== undefined) return (text[1] ?? text[2]).replace(/\\(.)/gs, unescape);
    const integer = this.#match(INTEGER);
    if (integer !== undefined) return Number(integer[0].replace('L', ''));
    const word = this.#match(WORD);
    return word === undefined ? undefined : WORDS.get(word[0]);
  }

  /** The rest of a tuple or list. `(3)` comes as `[3]` too: NumPy writes shapes with commas. */
  #items(end: string, depth: number): Literal[] | undefined {
    const items: Literal[] = [];
    while (!this.#take(end)) {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (!this.#take(',')) return this.#take(end) ? items : undefined;
    }
    return items;
  }

  #dict(depth: number): ReadonlyMap<string, Literal> | undefined {
    const entries = new Map<string, Literal>();
    while (!this.#take('}')) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' || entries.has(key) || !this.#take(':')) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.set(key, value);
      if (!this.#take(',')) return this.#take('}') ? entries : undefined;
    }
    return entries;
  }

  #take(char: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const unescape = (_: string, char: string): string => ESCAPES[char] ?? char;
