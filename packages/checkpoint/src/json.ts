// JSON texts of files, with a bound on what they may make: `[],` is three bytes, and an array.

import { CheckpointError, reason } from './error.js';

/** Commas and opening brackets; a description of a hundred thousand tensors has a million. */
const MAX_PARTS = 4_000_000;

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

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
  let parts = 0;
  for (const byte of bytes) if (byte === COMMA || byte === BRACKET || byte === BRACE) parts++;
  if (parts > MAX_PARTS)
    throw new CheckpointError(
      'LIMIT',
      `${what} has ${parts} parts; ${MAX_PARTS} is the limit`,
      where,
    );
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
