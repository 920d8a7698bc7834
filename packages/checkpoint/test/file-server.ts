// A server of one file, with the habits and faults of servers in the wild, that counts what it is
// asked for.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Content of a file: what stands from `begin` to `end`. */
export interface Served {
  readonly size: number;
  read(begin: number, end: number): Uint8Array;
}

export const served = (content: Uint8Array): Served => ({
  size: content.length,
  read: (begin, end) => content.subarray(begin, end),
});

export interface Asked {
  readonly method: string;
  readonly range: string | undefined;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export type Answer = (
  asked: Asked,
  response: ServerResponse,
  /** The honest answer. */
  honest: () => void,
) => void;

export interface FileServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Bytes of bodies. */
  sent: number;
  file: Served;
  /** Sent with every honest answer. */
  headers: Record<string, string>;
  answer: Answer;
  close(): void;
}

/** Starts a server that answers range requests as RFC 9110 has it, unless `answer` is replaced. */
export async function fileServer(file: Served): Promise<FileServer> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const asked: Asked = { method, url, headers, range: headers.range };
    state.asked.push(asked);
    const write = response.write.bind(response);
    state.answer(asked, response, () => {
      const { size } = state.file;
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(asked.range ?? '') ?? [];
      const ranged = from !== undefined && method === 'GET';
      const [begin, end] = ranged ? [Number(from), Math.min(Number(to) + 1, size)] : [0, size];
      if (ranged && begin >= size) {
        response.writeHead(416, { 'content-range': `bytes */${size}`, ...state.headers }).end();
        return;
      }
      response.writeHead(ranged ? 206 : 200, {
        'content-length': end - begin,
        ...(ranged && { 'content-range': `bytes ${begin}-${end - 1}/${size}` }),
        ...state.headers,
      });
      if (method === 'HEAD') {
        response.end();
        return;
      }
      const body = state.file.read(begin, end);
      state.sent += body.length;
      write(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: FileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`,
    asked: [],
    sent: 0,
    file,
    headers: {},
    answer: (_, __, honest) => honest(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return state;
}
