// The whole engine in a worker, so that the page never waits for it. A worker's script offers its tasks
// with `serveTasks`; the page runs them by name with `startEngine`, hears of their progress and stops
// them. Tensors stay in the worker; typed arrays and plain objects travel.

import { expose, proxy, transfer, transferHandlers, wrap } from 'comlink';

export { transfer };

/** What a task is given beside its input. */
export interface Task {
  /** Tells the page, whose `onProgress` gets a copy of `value`. */
  progress(value: unknown): void;
  /** Aborted when the page no longer wants the result; it is heard of in {@link Task.turn}. */
  readonly signal: AbortSignal;
  /**
   * Lets messages in: await it between steps, since a running worker hears nothing.
   * @throws the reason of the abort, once the page has aborted
   */
  turn(): Promise<void>;
}

/** The tasks of a worker by name: functions of one input, which may return promises. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of every type, which callers get from the tasks
export type Tasks = Readonly<Record<string, (input: any, task: Task) => unknown>>;

export interface TaskOptions {
  /** Called with what the task reports, in its order. */
  onProgress?: (value: unknown) => void;
  /** Aborting it rejects the call at once, and ends the task at its next `turn`. */
  signal?: AbortSignal;
  /** Buffers of the input that move to the worker instead of being copied. */
  transfer?: Transferable[];
}

/** A worker that runs `T`. */
export interface Engine<T extends Tasks> {
  /**
   * Runs the task `name` and resolves to what it returns. Errors of the task come with their message
   * and `code`.
   */
  run<K extends keyof T & string>(
    name: K,
    input: Parameters<T[K]>[0],
    options?: TaskOptions,
  ): Promise<Awaited<ReturnType<T[K]>>>;
  /** Ends the worker; what still runs is rejected. */
  stop(): void;
}

/** What passes between page and worker. */
interface Service {
  ready(): true;
  run(name: string, input: unknown, id: number, progress?: (value: unknown) => void): unknown;
  abort(id: number, reason: string): void;
}

interface ErrorParts {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
}

// Comlink's own handler drops the code, by which programs tell voxgrad's errors apart.
const plain = transferHandlers.get('throw');
if (plain)
  transferHandlers.set('throw', {
    canHandle: plain.canHandle,
    serialize: (thrown) => {
      const { value } = thrown as { value: unknown };
      if (!(value instanceof Error)) return plain.serialize(thrown);
      const { name, message, stack } = value;
      const parts: ErrorParts = { name, message, stack, code: Reflect.get(value, 'code') };
      return [{ isError: true, value: parts }, []];
    },
    deserialize: (serialized) => {
      const { isError, value } = serialized as { isError: boolean; value: ErrorParts };
      if (!isError) throw value;
      throw Object.assign(new Error(value.message), value);
    },
  });

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** In the worker's script: offers `tasks` to the page that started it. Returns them, for their type. */
export function serveTasks<T extends Tasks>(tasks: T): T {
  const running = new Map<number, AbortController>();
  const service: Service = {
    ready: () => true,
    async run(name, input, id, progress) {
      if (!Object.hasOwn(tasks, name))
        throw new Error(
          `the worker has no task '${name}'; its tasks are ${Object.keys(tasks).join(', ')}`,
        );
      const control = new AbortController();
      running.set(id, control);
      const { signal } = control;
      const turn = async () => {
        await nextTurn();
        signal.throwIfAborted();
      };
      try {
        return await tasks[name](input, { progress: (value) => progress?.(value), signal, turn });
      } finally {
        running.delete(id);
      }
    },
    abort(id, reason) {
      running.get(id)?.abort(new DOMException(reason, 'AbortError'));
    },
  };
  expose(service);
  return tasks;
}

/**
 * On the page: resolves to the engine of a worker whose script has called {@link serveTasks}. Make the
 * worker where the bundler sees it: `new Worker(new URL('./engine.ts', import.meta.url), { type: 'module' })`.
 * @throws Error where the script cannot be loaded or fails while it is
 */
export async function startEngine<T extends Tasks>(worker: Worker): Promise<Engine<T>> {
  const service = wrap<Service>(worker);
  let fail: (reason: Error) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    fail = reject;
  });
  ended.catch(() => {}); // heard by the calls that run, if any do
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    fail(new Error(`the worker failed: ${event.message || 'its script could not be loaded'}`));
  });
  worker.addEventListener('messageerror', () =>
    fail(new Error('the worker sent what the page cannot read')),
  );
  let calls = 0;
  await Promise.race([service.ready(), ended]);
  return {
    async run(name, input, { onProgress, signal, transfer: moved } = {}) {
      signal?.throwIfAborted();
      const id = calls++;
      const given = moved ? transfer(input, moved) : input;
      const result = service.run(name, given, id, onProgress && proxy(onProgress));
      let unlisten = () => {};
      const aborted = new Promise<never>((_, reject) => {
        const abort = () => {
          void service.abort(id, String(signal?.reason?.message ?? signal?.reason));
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', abort, { once: true });
        unlisten = () => signal?.removeEventListener('abort', abort);
      });
      try {
        return (await Promise.race([result, aborted, ended])) as never;
      } finally {
        unlisten();
      }
    },
    stop() {
      worker.terminate();
      fail(new Error('the worker was stopped'));
    },
  };
}
