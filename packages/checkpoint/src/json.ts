// JSON texts of files, with a bound on what they may make: `[],` is three bytes, and an array.

import { CheckpointError, reason } from './error.js';

/** Commas and opening brackets; a description of a hundred thousand tensors has a million. */
const MAX_PARTS = 4_000_000;

/** Brackets within brackets. What is this deep cannot be written again by recursion. */
const MAX_NESTING = 500;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];

/** @throws CheckpointError for more parts or a deeper nesting than an honest file has */
function checkParts(bytes: Uint8Array, limit: (text: string) => CheckpointError): void {
  let [parts, depth, inText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inText = !inText;
    else if (inText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) parts++;
    else if (OPEN.includes(byte)) {
      parts++;
      depth++;
      if (depth > MAX_NESTING) throw limit(`is nested more than ${MAX_NESTING} deep`);
    } else if (CLOSE.includes(byte)) depth--;
    if (parts > MAX_PARTS) throw limit(`has more than ${MAX_PARTS} parts`);
  }
}

/** `value` in a message, which need not have all of it. */
export function inMessage(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_IN_MESSAGE ? `${text.slice(0, MAX_IN_MESSAGE)}…` : text;
}

const MAX_IN_MESSAGE = 200;

/**
 * The text of a JSON value and the value.
 * @throws CheckpointError that calls it `what`; `offset` is where it begins in the file
 */
export function parseJson(
  bytes: Uint8Array,
  what: string,
  offset?: number,
): { readonly text: string; readonly value: unknown } {
  const where = { offset };
  checkParts(bytes, (text) => new CheckpointError('LIMIT', `${what} ${text}`, where));
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CheckpointError('CORRUPT', `${what} is not UTF-8`, where);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw new CheckpointError(
      'CORRUPT',
      `${what} is not JSON (${reason(error)}); the download or copy may be incomplete`,
      where,
    );
  }
}
