// Files behind addresses: what is asked of the server, and what becomes of each of its habits.

import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { openSource, type Source, type SourceOptions } from '../src/source.js';
import { type FileServer, fileServer, type Served, served } from './file-server.js';
import { expectFailure } from './support.js';

const KB = 1024;
/** What a small read fetches; see sources/http.ts. */
const WINDOW = 128 * KB;

/** Bytes that tell where they stand. */
const pattern = (begin: number, end: number): Uint8Array =>
  Uint8Array.from({ length: end - begin }, (_, i) => (begin + i) ** 2 % 251);
const content = pattern(0, 1024 * KB);

let server: FileServer;
afterEach(() => server.close());

async function open(file: Served = served(content), options?: SourceOptions): Promise<Source> {
  server = await fileServer(file);
  return openSource(server.url, options);
}

async function expectBytes(source: Source, begin: number, end: number): Promise<void> {
  const bytes = await source.read(begin, end - begin);
  // Much faster than toEqual.
  if (Buffer.compare(bytes, content.subarray(begin, end)) !== 0)
    expect(bytes).toEqual(content.slice(begin, end));
}

describe('of a server with ranges', () => {
  test('one request opens, and its bytes are not asked for again', async () => {
    const source = await open();
    expect(source.size).toBe(content.length);
    await expectBytes(source, 0, 8);
    await expectBytes(source, 8, 100 * KB);
    expect(server.asked.map(({ method, range }) => [method, range])).toEqual([
      ['GET', `bytes=0-${WINDOW - 1}`],
    ]);
    expect(server.sent).toBe(WINDOW);
  });

  test('small reads at the end share a request', async () => {
    const source = await open();
    const { size } = source;
    await expectBytes(source, size - 22, size);
    await expectBytes(source, size - 60 * KB, size - 22);
    expect(server.asked.length).toBe(2);
    expect(server.asked[1].range).toBe(`bytes=${size - WINDOW}-${size - 1}`);
  });

  test('a large read asks for exactly what is missing', async () => {
    const source = await open();
    await expectBytes(source, 100 * KB, 600 * KB);
    expect(server.asked[1].range).toBe(`bytes=${WINDOW}-${600 * KB - 1}`);
    expect(server.sent).toBe(600 * KB);
  });

  test('reading on makes the requests larger', async () => {
    const source = await open();
    for (let at = 0; at < source.size; at += 4 * KB) await expectBytes(source, at, at + 4 * KB);
    // 128 KB, then 256, 512 and the rest.
    expect(server.asked.length).toBe(4);
    expect(server.sent).toBe(content.length);
  });

  test('a place of a 5 GB file costs what it holds', async () => {
    const size = 5 * 2 ** 30 + 7;
    const source = await open({ size, read: pattern });
    expect(source.size).toBe(size);
    expect(await source.read(4 * 2 ** 30, 1000)).toEqual(
      Uint8Array.from(pattern(4 * 2 ** 30, 4 * 2 ** 30 + 1000)),
    );
    expect(server.asked.length).toBe(2);
    expect(server.sent).toBe(2 * WINDOW);
  });

  test('reads at once share what they have in common', async () => {
    const source = await open();
    const at = 500 * KB;
    await Promise.all([0, 1, 2, 3].map((i) => expectBytes(source, at + i * KB, at + (i + 1) * KB)));
    expect(server.asked.length).toBe(2);
  });

  test('places known beforehand are asked for together, and several at a time', async () => {
    const large = pattern(0, 20 * 1024 * KB);
    server = await fileServer(served(large));
    const source = await openSource(server.url);
    const places = Array.from({ length: 200 }, (_, i) => ({
      offset: i * 100 * KB,
      length: 96 * KB,
    }));
    source.plan(places);
    for (const { offset, length } of places) {
      const bytes = await source.read(offset, length);
      expect(Buffer.compare(bytes, large.subarray(offset, offset + length))).toBe(0);
      expect(bytes.buffer.byteLength).toBe(length);
    }
    // 20 MB in parts of 4 MB, behind the one that opened it.
    expect(server.asked.length).toBeLessThanOrEqual(7);
    // What was taken is read anew, and what is far apart by itself.
    source.plan([
      { offset: 0, length: 10 },
      { offset: 10 * 1024 * KB, length: 10 },
      { offset: 30 * 1024 * KB, length: 10 }, // not in the file
    ]);
    expect(await source.read(10 * 1024 * KB, 10)).toEqual(
      Uint8Array.from(large.subarray(10 * 1024 * KB, 10 * 1024 * KB + 10)),
    );
    expect(await source.read(0, 10)).toEqual(Uint8Array.from(large.subarray(0, 10)));
    await expectFailure(source.read(30 * 1024 * KB, 10), 'CORRUPT', /the file ends at byte/);
  });

  test('an empty read asks for nothing', async () => {
    const source = await open();
    await expectBytes(source, 900 * KB, 900 * KB);
    expect(server.asked.length).toBe(1);
  });

  test('an empty file has no range, and is read', async () => {
    const source = await open(served(new Uint8Array(0)));
    expect(source.size).toBe(0);
    expect(server.asked.map(({ range }) => range)).toEqual([`bytes=0-${WINDOW - 1}`, undefined]);
  });

  test('headers are sent with every request', async () => {
    const source = await open(served(content), { headers: { Authorization: 'Bearer x' } });
    await expectBytes(source, 500 * KB, 501 * KB);
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer x',
      'Bearer x',
    ]);
  });
});

/** Opens with a server that answers otherwise. */
async function openWith(
  answer: FileServer['answer'],
  file: Served = served(content),
): Promise<Source> {
  server = await fileServer(file);
  server.answer = answer;
  return openSource(server.url);
}

describe('other habits', () => {
  test('no ranges: the first answer is the file', async () => {
    const source = await openWith((_, response) => response.end(content));
    await expectBytes(source, 500 * KB, 900 * KB);
    expect(server.asked.length).toBe(1);
  });

  test('a redirect is followed', async () => {
    const source = await openWith((asked, response, honest) => {
      if (asked.url === '/file') response.writeHead(302, { location: '/elsewhere' }).end();
      else honest();
    });
    await expectBytes(source, 500 * KB, 600 * KB);
    expect(server.asked.at(-1)).toMatchObject({ url: '/elsewhere' });
  });

  test('a compressed body is read whole and inflated', async () => {
    const source = await openWith((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(content)),
    );
    expect(source.size).toBe(content.length);
    await expectBytes(source, 500 * KB, 600 * KB);
    expect(server.asked.length).toBe(1);
  });

  test('ranges of a compressed body are not taken for ranges of the file', async () => {
    const zipped = gzipSync(content);
    const source = await openWith((asked, response) => {
      const headers = { 'content-encoding': 'gzip' };
      if (asked.range === undefined) response.writeHead(200, headers).end(zipped);
      else
        response
          .writeHead(206, { ...headers, 'content-range': `bytes 0-999/${zipped.length}` })
          .end(zipped.subarray(0, 1000));
    });
    expect(source.size).toBe(content.length);
    await expectBytes(source, 500 * KB, 600 * KB);
  });

  // As a page of another origin sees it, unless the server exposes the header.
  const withoutContentRange: FileServer['answer'] = (_, response, honest) => {
    const setHeader = response.writeHead.bind(response);
    response.writeHead = (status: number, headers?: unknown) => {
      const kept = Object.entries(headers as Record<string, string>).filter(
        ([name]) => name !== 'content-range',
      );
      return setHeader(status, Object.fromEntries(kept));
    };
    honest();
  };

  test('a hidden Content-Range: HEAD has the size, and a range that crosses it tells if so', async () => {
    const source = await openWith(withoutContentRange);
    expect(source.size).toBe(content.length);
    await expectBytes(source, 500 * KB, 900 * KB);
    expect(server.asked.map(({ method, range }) => `${method} ${range}`)).toEqual([
      `GET bytes=0-${WINDOW - 1}`,
      'HEAD undefined',
      `GET bytes=${content.length - 1}-${content.length}`,
      `GET bytes=${500 * KB}-${900 * KB - 1}`,
    ]);
  });

  test.each<[string, FileServer['answer']]>([
    ['is denied', (_, response) => response.writeHead(403).end()],
    ['has another length', (_, response) => response.writeHead(200, { 'content-length': 9 }).end()],
    ['has no length', (_, response) => response.writeHead(200).end()],
  ])('a hidden Content-Range, where HEAD %s: read whole', async (_, head) => {
    const source = await openWith((asked, response, honest) =>
      asked.method === 'HEAD'
        ? head(asked, response, honest)
        : withoutContentRange(asked, response, honest),
    );
    await expectBytes(source, 500 * KB, 900 * KB);
    expect(server.asked.at(-1)?.range).toBeUndefined();
  });

  test('an unknown size: read whole', async () => {
    const source = await openWith((asked, response, honest) => {
      if (asked.range === undefined) honest();
      else response.writeHead(206, { 'content-range': `bytes 0-9/*` }).end(content.subarray(0, 10));
    });
    await expectBytes(source, 500 * KB, 900 * KB);
  });
});

describe('transient failures are tried again', () => {
  test('a busy server', async () => {
    let busy = 2;
    const source = await openWith((_, response, honest) =>
      busy-- > 0 ? response.writeHead(503).end() : honest(),
    );
    await expectBytes(source, 0, 8);
    expect(server.asked.length).toBe(3);
  });

  test('a connection that breaks off goes on where it did', async () => {
    const source = await open();
    let breaks = 1;
    server.answer = (_, response, honest) => {
      if (breaks-- <= 0) return honest();
      response.writeHead(206, {
        'content-length': 300 * KB,
        'content-range': `bytes ${500 * KB}-${800 * KB - 1}/${content.length}`,
      });
      response.write(content.subarray(500 * KB, 600 * KB), () => response.destroy());
    };
    await expectBytes(source, 500 * KB, 800 * KB);
    const [, , again] = server.asked;
    expect(again.range).toMatch(new RegExp(`-${800 * KB - 1}$`));
  });

  test('an answer that is too short', async () => {
    const source = await open();
    let short = 1;
    server.answer = (_, response, honest) => {
      if (short-- <= 0) return honest();
      response
        .writeHead(206, { 'content-range': `bytes ${500 * KB}-${800 * KB - 1}/${content.length}` })
        .end(content.subarray(500 * KB, 501 * KB));
    };
    await expectBytes(source, 500 * KB, 800 * KB);
    expect(server.asked.at(-1)?.range).toBe(`bytes=${501 * KB}-${800 * KB - 1}`);
  });

  test('and given up after three times, with what happened', async () => {
    const source = await open();
    server.answer = (_, response) => response.destroy();
    await expectFailure(source.read(500 * KB, 10), 'IO', /cannot be fetched \(fetch failed: /);
    expect(server.asked.length).toBe(4);
    server.answer = (_, response) => response.writeHead(500).end();
    await expectFailure(source.read(500 * KB, 10), 'IO', /answered 500 Internal Server Error/);
    server.answer = (_, response) =>
      response.writeHead(206, { 'content-range': `bytes 0-0/${content.length}` }).end();
    await expectFailure(source.read(0, 300 * KB), 'IO', /with others/);
  });

  test('what will not change is not', async () => {
    await expectFailure(
      openWith((_, response) => response.writeHead(401).end()),
      'IO',
      /answered 401 Unauthorized\. It wants to know who reads: pass \{ headers/,
    );
    expect(server.asked.length).toBe(1);
  });
});

describe('a file that changes while it is read', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['by its ETag', { etag: '"a"' }, { etag: '"b"' }],
    ['by a weak ETag', { etag: 'W/"a"' }, { etag: 'W/"b"' }],
    [
      'by its time',
      { 'last-modified': 'Tue, 01 Dec 2026 00:00:00 GMT' },
      { 'last-modified': 'Tue, 01 Dec 2026 00:00:01 GMT' },
    ],
  ])('is noticed %s', async (_, before, after) => {
    server = await fileServer(served(content));
    server.headers = before;
    const source = await openSource(server.url);
    await expectBytes(source, 500 * KB, 501 * KB);
    server.headers = after;
    await expectFailure(source.read(900 * KB, 10), 'IO', /changed on the server while it was/);
  });

  test('is noticed by its size', async () => {
    const source = await open();
    server.file = served(content.subarray(0, 999 * KB));
    await expectFailure(source.read(900 * KB, 10), 'IO', /changed on the server/);
    server.file = served(content.subarray(0, 200 * KB)); // answers 416
    await expectFailure(source.read(900 * KB, 10), 'IO', /changed on the server/);
  });

  test('is not seen where only the prefix of a tag or, under one tag, the time differs', async () => {
    server = await fileServer(served(content));
    server.headers = { etag: 'W/"a"', 'last-modified': 'Tue, 01 Dec 2026 00:00:00 GMT' };
    const source = await openSource(server.url);
    server.headers = { etag: '"a"', 'last-modified': 'Tue, 01 Dec 2026 00:00:01 GMT' };
    await expectBytes(source, 900 * KB, 901 * KB);
  });
});

describe('answers that are not what was asked for are refused', () => {
  test.each<[string, FileServer['answer'], RegExp]>([
    ['the whole file', (_, response) => response.end(content), /status 200 and the whole file/],
    [
      'another range',
      (_, response) =>
        response
          .writeHead(206, { 'content-range': `bytes 0-9/${content.length}` })
          .end(content.subarray(0, 10)),
      /the bytes from 917\d* on with others/,
    ],
    [
      'more than asked for',
      (_, response) =>
        response
          .writeHead(206, { 'content-range': `bytes ${917_504}-/${content.length}` })
          .end(content),
      /sent more than the 131072 bytes/,
    ],
  ])('%s', async (_, answer, message) => {
    const source = await open();
    server.answer = answer;
    await expectFailure(source.read(1000 * KB, 10), 'IO', message);
  });
});

describe('a signal ends', () => {
  const reason = new Error('the user left');

  test('a request that hangs', async () => {
    const controller = new AbortController();
    server = await fileServer(served(content));
    server.answer = () => controller.abort(reason);
    await expect(openSource(server.url, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('a body that stalls', async () => {
    const controller = new AbortController();
    const source = await open(served(content), { signal: controller.signal });
    server.answer = (_, response) => {
      response.writeHead(206, { 'content-range': `bytes ${500 * KB}-/${content.length}` });
      response.write(content.subarray(500 * KB, 501 * KB), () => controller.abort(reason));
    };
    await expect(source.read(500 * KB, 300 * KB)).rejects.toBe(reason);
  });

  test('a pause between attempts', async () => {
    const controller = new AbortController();
    server = await fileServer(served(content));
    server.answer = (_, response) => {
      response.writeHead(503).end();
      response.on('close', () => controller.abort(reason));
    };
    await expect(openSource(server.url, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('reading of anything, before it begins', async () => {
    server = await fileServer(served(content));
    const signal = AbortSignal.abort(reason);
    await expect(openSource(new Uint8Array(9), { signal })).rejects.toBe(reason);
    const controller = new AbortController();
    const source = await openSource(new Blob(['123']), { signal: controller.signal });
    controller.abort(reason);
    await expect(source.read(0, 1)).rejects.toBe(reason);
  });
});
