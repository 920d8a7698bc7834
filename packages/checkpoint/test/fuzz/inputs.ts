// Input number `index` of a seed: an honest file, changed.

import type { Field } from './containers.js';
import { changePickle } from './pickles.js';
import { Chooser } from './random.js';
import { contentsOf, type Input, inputOf, type Sample } from './samples.js';
import { changeText } from './texts.js';
import { NUMBERS } from './words.js';

export interface Made {
  readonly input: Input;
  readonly sample: Sample;
  /** Whether only bytes of the finished file were changed, so that its checksums are those of before. */
  readonly onlyBytes: boolean;
}

export function makeInput(samples: readonly Sample[], seed: number, index: number): Made {
  const choose = new Chooser(seed, index);
  // Formats alike, however many samples there are of each.
  const format = choose.of([...new Set(samples.map((sample) => sample.format))]);
  const sample = choose.of(samples.filter((one) => one.format === format));
  const way = choose.below(20);
  const inParts = way < 10;
  const contents = contentsOf(sample);
  if (inParts)
    for (let i = choose.length(2); i > 0; i--) changePart(sample, contents, samples, choose);
  const { bytes, fields } = sample.build(contents);
  let main = bytes;
  if (way >= 8 && way < 13) main = changeFields(main, fields, choose);
  if (way >= 12 && way < 18) main = changeBytes(main, choose);
  if (way === 18) main = spliced(main, choose.of(samples), choose);
  if (way === 19) main = main.slice(0, choose.below(main.length));
  return { input: inputOf(sample, main, contents), sample, onlyBytes: !inParts && way !== 18 };
}

/** One part, by opcode, word or byte as it can be; sometimes one part for another. */
function changePart(
  sample: Sample,
  contents: Uint8Array[],
  samples: readonly Sample[],
  choose: Chooser,
): void {
  // Descriptions more often than numbers.
  const described = sample.parts.flatMap(({ kind }, i) => (kind === 'bytes' ? [] : [i]));
  const at =
    described.length > 0 && !choose.oneIn(5) ? choose.of(described) : choose.below(contents.length);
  const { kind, content } = sample.parts[at];
  // What was changed by byte is no honest pickle any more.
  const changed = contents[at] !== content;
  if (kind === 'pickle' && !changed && !choose.oneIn(8)) {
    const others = choose.of(samples).parts.filter((part) => part.kind === 'pickle');
    const other = others.length > 0 ? choose.of(others).content : content;
    contents[at] = changePickle(content, other, choose);
  } else if (kind === 'text' && !choose.oneIn(8)) contents[at] = changeText(contents[at], choose);
  else if (choose.oneIn(6)) contents[at] = contents[choose.below(contents.length)];
  else contents[at] = changeBytes(Uint8Array.from(contents[at]), choose);
}

/** Numbers in fields of the container: at their edges, or a little off. */
function changeFields(
  file: Uint8Array<ArrayBuffer>,
  fields: readonly Field[],
  choose: Chooser,
): Uint8Array<ArrayBuffer> {
  if (fields.length === 0) return changeBytes(file, choose);
  const changed = file.slice();
  for (let i = choose.length(4); i > 0; i--) {
    const { at, size } = choose.of(fields);
    const other = choose.of(fields);
    if (choose.oneIn(4))
      changed.set(file.subarray(other.at, other.at + Math.min(size, other.size)), at);
    else if (choose.oneIn(2)) changed[at + choose.below(size)] += choose.of([1, 255, 128, 16]);
    else
      for (
        let byte = 0, value = BigInt.asUintN(64, choose.of(NUMBERS));
        byte < Math.min(size, 8);
        byte++
      )
        changed[at + byte] = Number((value >> BigInt(8 * byte)) & 255n);
  }
  return changed;
}

function changeBytes(file: Uint8Array<ArrayBuffer>, choose: Chooser): Uint8Array<ArrayBuffer> {
  let changed = file.slice();
  for (let i = choose.length(4); i > 0; i--) {
    const at = choose.below(Math.max(1, changed.length));
    const count = choose.length(16);
    switch (choose.below(8)) {
      case 0:
        changed[at] ^= 1 << choose.below(8);
        break;
      case 1:
        changed[at] = choose.below(256);
        break;
      case 2:
        changed.fill(choose.of([0, 255, 0x7f, 0x80]), at, at + count);
        break;
      case 3: {
        const value = BigInt.asUintN(64, choose.of(NUMBERS));
        const size = choose.of([1, 2, 4, 8]);
        for (let byte = 0; byte < size && at + byte < changed.length; byte++)
          changed[at + byte] = Number((value >> BigInt(8 * byte)) & 255n);
        break;
      }
      case 4:
        changed.copyWithin(choose.below(Math.max(1, changed.length)), at, at + count);
        break;
      case 5:
        changed = joined(changed.subarray(0, at), changed.subarray(at + count));
        break;
      case 6:
        changed = joined(
          changed.subarray(0, at),
          changed.subarray(at, at + count),
          changed.subarray(at),
        );
        break;
      default:
        changed[at] = (changed[at] ?? 0) + choose.of([1, 255, 2, 254]);
    }
  }
  return changed;
}

/** The beginning of one file and the end of another. */
function spliced(
  file: Uint8Array<ArrayBuffer>,
  other: Sample,
  choose: Chooser,
): Uint8Array<ArrayBuffer> {
  const second = other.build(contentsOf(other)).bytes;
  return joined(
    file.subarray(0, choose.below(file.length)),
    second.subarray(choose.below(second.length)),
  );
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
