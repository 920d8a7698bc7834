import { WORKER_SOURCE } from './worker-source.js';

export interface WorkerHandle {
  stop(): void;
}

interface Events {
  started(workers: WorkerHandle[]): void;
  died(what: string): void;
}

/** The part of Node's `worker_threads` that is used; its types are not there in browsers. */
interface NodeWorkers {
  Worker: new (
    source: string | URL,
    options: {
      eval: boolean;
      workerData: unknown;
      name: string;
      env: object;
      execArgv: string[];
      stdout: boolean;
    },
  ) => {
    on(event: string, listener: (value: unknown) => void): void;
    unref(): void;
    terminate(): Promise<number>;
  };
}

const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined;

/** Workers over `memory`. They are up some time after this returns, and never keep a program alive. */
export function startWorkers(
  count: number,
  memory: WebAssembly.Memory,
  workerUrl: string | URL | undefined,
  events: Events,
): void {
  const startAll = (start: (name: string) => WorkerHandle) =>
    events.started(Array.from({ length: count }, (_, i) => start(`voxgrad-wasm-${i + 1}`)));
  const failed = (error: unknown) => events.died(`workers could not be started: ${String(error)}`);
  try {
    if (!isNode) startAll(webStarter(memory, workerUrl, events));
    else {
      // At once where Node gives its modules out synchronously (20.16, 22.3), so that a program without
      // an await has workers too.
      const known = process.getBuiltinModule?.('node:worker_threads') as NodeWorkers | undefined;
      const specifier = 'node:worker_threads'; // a variable, so that bundlers for browsers leave it alone
      if (known) startAll(nodeStarter(known, memory, workerUrl, events));
      else
        (import(/* @vite-ignore */ specifier) as Promise<NodeWorkers>)
          .then((loaded) => startAll(nodeStarter(loaded, memory, workerUrl, events)))
          .catch(failed);
    }
  } catch (error) {
    failed(error);
  }
}

function nodeStarter(
  { Worker }: NodeWorkers,
  memory: WebAssembly.Memory,
  url: string | URL | undefined,
  events: Events,
) {
  return (name: string): WorkerHandle => {
    let stopped = false;
    const worker = new Worker(url ?? WORKER_SOURCE, {
      eval: url === undefined,
      workerData: memory,
      name,
      env: {},
      execArgv: [],
      stdout: false,
    });
    worker.unref();
    worker.on('error', (error) => events.died(`the worker ${name} failed: ${String(error)}`));
    worker.on('exit', (code) => {
      if (!stopped) events.died(`the worker ${name} ended with code ${String(code)}`);
    });
    return {
      stop: () => {
        stopped = true;
        void worker.terminate();
      },
    };
  };
}

function webStarter(memory: WebAssembly.Memory, url: string | URL | undefined, events: Events) {
  const source = url ?? URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
  return (name: string): WorkerHandle => {
    const worker = new Worker(source, { name });
    worker.onerror = (event) => events.died(`the worker ${name} failed: ${event.message}`);
    worker.postMessage(memory);
    return { stop: () => worker.terminate() };
  };
}
