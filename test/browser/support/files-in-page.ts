// `node:fs` for a page: the fixtures, which the test's own server hands out.

class Bytes extends Uint8Array {
  readBigUInt64LE(at: number): bigint {
    return new DataView(this.buffer, this.byteOffset).getBigUint64(at, true);
  }

  override toString(_encoding?: string, from = 0, to = this.length): string {
    return new TextDecoder().decode(this.subarray(from, to));
  }
}

export function readFileSync(url: URL): Bytes {
  const request = new XMLHttpRequest();
  request.open('GET', url.href, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) throw new Error(`${url.href}: ${request.status}`);
  const text = request.responseText;
  const bytes = new Bytes(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
