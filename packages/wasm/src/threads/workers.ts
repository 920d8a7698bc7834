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
export async function startWorkers(
  count: number,
  memory: WebAssembly.Memory,
  workerUrl: string | URL | undefined,
  events: Events,
): Promise<void> {
  try {
    const start = isNode
      ? await nodeStarter(memory, workerUrl, events)
      : webStarter(memory, workerUrl, events);
    events.started(Array.from({ length: count }, (_, i) => start(`voxgrad-wasm-${i + 1}`)));
  } catch (error) {
    events.died(`workers could not be started: ${String(error)}`);
  }
}

async function nodeStarter(
  memory: WebAssembly.Memory,
  url: string | URL | undefined,
  events: Events,
) {
  const specifier = 'node:worker_threads'; // a variable, so that bundlers for browsers leave it alone
  const { Worker } = (await import(/* @vite-ignore */ specifier)) as NodeWorkers;
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
