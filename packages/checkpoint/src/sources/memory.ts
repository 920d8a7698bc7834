/**
 * Memory that will be filled from a file, alone in its buffer. Where the runtime can leave out the
 * zeros it does, which take a third of the time of reading: who gets it must fill all of it.
 */
export const memoryFor = (length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    typeof Buffer === 'function' && typeof Buffer.allocUnsafeSlow === 'function'
      ? (Buffer.allocUnsafeSlow(length).buffer as ArrayBuffer)
      : length,
  );
