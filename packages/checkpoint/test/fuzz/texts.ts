// JSON and Python literals as lists of words, numbers and signs, which can be changed and joined.

import type { Chooser } from './random.js';
import { NUMBERS, WORDS } from './words.js';

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\w+|\s+|[^\s]/g;

const ODD: readonly string[] = [
  ...[
    '1e999',
    '-0',
    '0.5',
    '1e3',
    '9007199254740993',
    '1'.repeat(400),
    'NaN',
    'null',
    'true',
    '{}',
  ],
  ...[
    '[]',
    '[[]]',
    '{"a":1}',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
  ],
];

export function changeText(content: Uint8Array, choose: Chooser): Uint8Array<ArrayBuffer> {
  const tokens = new TextDecoder().decode(content).match(TOKEN) ?? [''];
  for (let i = choose.length(4); i > 0; i--) change(tokens, choose);
  return new TextEncoder().encode(tokens.join(''));
}

function change(tokens: string[], choose: Chooser): void {
  const at = choose.below(tokens.length);
  const count = choose.length(12);
  const where = (test: RegExp): number => {
    const places = tokens.flatMap((token, i) => (test.test(token) ? [i] : []));
    return places.length === 0 ? at : choose.of(places);
  };
  switch (choose.below(10)) {
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
      tokens[where(/^-?\d/)] = String(choose.of(NUMBERS));
      break;
    case 5: {
      const place = where(/^["']/);
      const quote = tokens[place]?.[0] === "'" ? "'" : '"';
      tokens[place] = quote + choose.of(WORDS).replace(/[\\\0]/g, '\\$&') + quote;
      break;
    }
    case 6:
      tokens[where(/^["']/)] = choose.of(
        tokens.filter((token) => /^["']/.test(token)).concat('""'),
      );
      break;
    case 7:
      tokens[at] = choose.of(ODD);
      break;
    case 8: {
      const depth = choose.length(20_000);
      const [open, close] = choose.of(['[]', '()'] as const);
      tokens[at] = open.repeat(depth) + (choose.oneIn(2) ? '' : close.repeat(depth));
      break;
    }
    default:
      tokens[at] = choose.of(tokens).repeat(choose.length(200));
  }
}
