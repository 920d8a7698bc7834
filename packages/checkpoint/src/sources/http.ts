// A file behind an address, read by range requests (RFC 9110, section 14), so that of a large file
// only the parts that are asked for travel.
//
// The first request asks for the beginning. Its answer decides: 206 with the size of the whole, and
// ranges it is; 200, and its body is the file. HEAD is not relied on, since signed addresses often
// allow GET alone. `If-Range` is not sent, since browsers would ask the server for permission first,
// which few grant: what an answer says of itself (ETag, Last-Modified, size) is compared instead.

import { CheckpointError, reason } from '../error.js';
import { type Backend, blobBackend } from './backend.js';
import { readAhead } from './read-ahead.js';

export interface HttpOptions {
  /** Sent with every request, for servers that ask who reads. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Most headers and zip directories fit in; a round trip takes as long. */
const WINDOW_BYTES = 128 * 1024;
const MOST_BYTES = 4 * 2 ** 20;

/** What lies between two tensors costs less than a round trip; several of those overlap. */
const BATCHES = { gap: WINDOW_BYTES, bytes: MOST_BYTES, largest: MOST_BYTES, inFlight: 4 };

const ATTEMPTS = 3;
/** Before the second attempt, and four times as long before the third. */
const PAUSE_MS = 100;

/** Answers that another attempt may turn into a better one. */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Opens the file at `url`, an http(s) address or one that the runtime resolves (blob:, data:). */
export async function httpBackend(url: string, options: HttpOptions): Promise<Backend> {
  const file = new HttpFile(url, options);
  // Other schemes are not on a network.
  if (/^(blob|data):/i.test(url)) return file.whole();
  const response = await file.request([0, WINDOW_BYTES]);
  if (response.status === 200) return file.whole(response);
  const size = response.status === 206 ? await file.sizeFrom(response) : undefined;
  if (size === undefined) {
    // An empty file has no range, and some servers deny it one in other cases.
    await discard(response);
    return file.whole();
  }
  return file.ranges(response, size);
}

class HttpFile {
  readonly #url: string;
  readonly #options: HttpOptions;

  constructor(url: string, options: HttpOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** The answer to a request for the bytes from `begin` to before `end`, or for all. */
  async request(range?: readonly [begin: number, end: number], method = 'GET'): Promise<Response> {
    const { signal } = this.#options;
    const headers: Record<string, string> = { ...this.#options.headers };
    if (range !== undefined) headers.Range = `bytes=${range[0]}-${range[1] - 1}`;
    for (let attempt = 1; ; attempt++) {
      let failure: CheckpointError;
      try {
        // A failure may come from what a browser kept for a page of another origin.
        const cache = attempt === 1 ? 'default' : 'reload';
        const response = await fetch(this.#url, { method, headers, signal, cache });
        if (response.ok || response.status === 416) return response;
        await discard(response);
        failure = refused(response);
        if (!TRANSIENT.has(response.status)) throw failure;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof CheckpointError) throw error;
        failure = io(`cannot be fetched (${fetchReason(error)})`, error);
      }
      if (attempt === ATTEMPTS) throw failure;
      await pause(attempt, signal);
    }
  }

  /** All of the file, from `response` if that brings it. */
  async whole(response?: Response): Promise<Backend> {
    const { signal } = this.#options;
    let answer = response;
    for (let attempt = 1; ; attempt++) {
      answer ??= await this.request();
      if (!answer.ok) throw refused(answer);
      try {
        return blobBackend(await answer.blob());
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === ATTEMPTS) throw io(`the download broke off (${fetchReason(error)})`, error);
      }
      answer = undefined;
      await pause(attempt, signal);
    }
  }

  /**
   * The size of the file of which `response` is the beginning, or undefined where ranges cannot be
   * relied on.
   */
  async sizeFrom(response: Response): Promise<number | undefined> {
    // Ranges of a compressed body are no ranges of the file.
    if (isEncoded(response)) return undefined;
    const range = contentRange(response);
    if (range !== undefined) return range.begin === 0 ? range.size : undefined;
    // Servers of other origins may keep Content-Range from a page, and then also from HEAD, but not
    // Content-Length. One byte before that length there is a byte, and after it there is none.
    const size = lengthOf(await this.request(undefined, 'HEAD').catch(() => undefined));
    if (size === undefined) return undefined;
    const last = await this.request([size - 1, size + 1]).catch(() => undefined);
    const isLast = last?.status === 206 && !isEncoded(last) && lengthOf(last) === 1;
    if (last !== undefined) await discard(last);
    return isLast ? size : undefined;
  }

  /** The file as ranges; `response` is its beginning. */
  async ranges(response: Response, size: number): Promise<Backend> {
    const version = versionOf(response, size);
    const head = new Uint8Array(Math.min(WINDOW_BYTES, size));
    const known = await readBody(response, head).catch(() => 0); // asked for again when needed
    const backend: Backend = {
      size,
      batches: BATCHES,
      fill: (target, offset) => this.#fill(target, offset, version),
    };
    return readAhead(backend, {
      window: WINDOW_BYTES,
      most: MOST_BYTES,
      head: head.subarray(0, known),
    });
  }

  /** Fills `target`, going on where a connection broke off. */
  async #fill(
    target: Uint8Array<ArrayBuffer>,
    offset: number,
    version: FileVersion,
  ): Promise<number> {
    const { signal } = this.#options;
    const end = offset + target.length;
    let done = 0;
    let cause: unknown;
    for (let attempt = 1; done < target.length; attempt++) {
      if (attempt > ATTEMPTS)
        throw io(
          `the download broke off at byte ${offset + done} (${cause === undefined ? 'the answer was too short' : fetchReason(cause)})`,
          cause,
        );
      if (attempt > 1) await pause(attempt - 1, signal);
      const begin = offset + done;
      const response = await this.request([begin, end]);
      await checkRange(response, begin, version);
      try {
        const got = await readBody(response, target.subarray(done));
        done += got;
        if (got > 0) attempt = 1; // headway
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof BrokenOff)) throw error;
        done += error.done;
        if (error.done > 0) attempt = 1;
        cause = error.cause;
      }
    }
    return done;
  }
}

/** What an answer says of the file that it is a part of; undefined where it does not say. */
interface FileVersion {
  readonly size: number | undefined;
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

const versionOf = ({ headers }: Response, size: number | undefined): FileVersion => ({
  size,
  // A weak tag may differ in its prefix alone.
  etag: headers.get('etag')?.replace(/^W\//, ''),
  modified: headers.get('last-modified') ?? undefined,
});

/** Whether both are known and differ. */
const differ = (a: unknown, b: unknown): boolean => a !== undefined && b !== undefined && a !== b;

function isSame(a: FileVersion, b: FileVersion): boolean {
  if (differ(a.size, b.size)) return false;
  // Servers behind one address may disagree about the time, but hardly about the tag.
  if (a.etag !== undefined && b.etag !== undefined) return a.etag === b.etag;
  return !differ(a.modified, b.modified);
}

/** Refuses an answer that is not the range from `begin` on of the file that was opened. */
async function checkRange(response: Response, begin: number, version: FileVersion): Promise<void> {
  const range = contentRange(response);
  const changed = !isSame(version, versionOf(response, range?.size));
  if (response.status === 206 && !changed && (range?.begin ?? begin) === begin) {
    if (!isEncoded(response)) return;
  }
  await discard(response);
  if (changed || response.status === 416)
    throw io('changed on the server while it was being read. Load it again');
  throw io(
    `the server answered a request for the bytes from ${begin} on with ` +
      (response.status === 206 ? 'others' : `status ${response.status} and the whole file`) +
      '. Download the file, and load that',
  );
}

/** `Content-Range: bytes 0-99/1000`; the size is undefined for `*`. */
function contentRange(
  response: Response,
): { readonly begin: number; readonly size: number | undefined } | undefined {
  const text = response.headers.get('content-range') ?? '';
  const [, begin, size] = /^\s*bytes\s+(\d+)-\d+\/(\d+|\*)\s*$/i.exec(text) ?? [];
  if (begin === undefined) return undefined;
  return { begin: Number(begin), size: size === '*' ? undefined : Number(size) };
}

const isEncoded = ({ headers }: Response): boolean =>
  !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');

/** The length that `response` announces, unless it is that of a compressed body. */
function lengthOf(response: Response | undefined): number | undefined {
  if (response === undefined || !response.ok || isEncoded(response)) return undefined;
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  return Number.isSafeInteger(length) && length > 0 ? length : undefined;
}

/** A body that ended in an error after `done` bytes. */
class BrokenOff extends Error {
  constructor(
    readonly done: number,
    cause: unknown,
  ) {
    super('the body broke off', { cause });
  }
}

/** Fills `target` with the body; returns how much there was. */
async function readBody(response: Response, target: Uint8Array): Promise<number> {
  if (response.body === null) return 0;
  const reader = response.body.getReader();
  let done = 0;
  for (;;) {
    let chunk: Uint8Array | undefined;
    try {
      chunk = (await reader.read()).value;
    } catch (error) {
      throw new BrokenOff(done, error);
    }
    if (chunk === undefined) return done;
    if (done + chunk.length > target.length) {
      await reader.cancel().catch(() => {});
      throw io(`the server sent more than the ${target.length} bytes that were asked for`);
    }
    target.set(chunk, done);
    done += chunk.length;
  }
}

const discard = (response: Response): Promise<void> =>
  response.body?.cancel().catch(() => {}) ?? Promise.resolve();

const ADVICE: Readonly<Record<number, string>> = {
  401: '. It wants to know who reads: pass { headers: { Authorization: … } }',
  403: '. The address may have expired, or needs { headers: { Authorization: … } }',
};

const refused = ({ status, statusText }: Response): CheckpointError =>
  io(
    `cannot be fetched: the server answered ${`${status} ${statusText}`.trimEnd()}${ADVICE[status] ?? ''}`,
  );

const io = (text: string, cause?: unknown) => new CheckpointError('IO', text, {}, { cause });

/** fetch() hides what happened behind "fetch failed". */
const fetchReason = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${reason(error)}: ${reason(error.cause)}`
    : reason(error);

const pause = (attempt: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      PAUSE_MS * 4 ** (attempt - 1),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
