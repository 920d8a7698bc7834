// Times of several things measured in one run. A machine's speed changes while it runs (other
// processes, temperature), so the things take turns, and each is judged by the median of its turns.

/** What is measured: it is timed from outside, unless it returns (or resolves to) its own {@link Timed}. */
export type Run = () => unknown;

/** The time that another process took, without the way there and back. */
export interface Timed {
  readonly ms: number;
}

const isTimed = (result: unknown): result is Timed =>
  typeof result === 'object' && result !== null && 'ms' in result && typeof result.ms === 'number';

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

async function time(run: Run): Promise<number> {
  const begin = performance.now();
  let result = run();
  if (result instanceof Promise) result = await result;
  return isTimed(result) ? result.ms : performance.now() - begin;
}

/** Code is optimised while it runs: so long or so often before anything counts. */
const WARM_UP_MS = 60;
const WARM_UP_RUNS = 5;

/** A peer that takes longer than this is not warmed up, and runs once. */
const SLOW_MS = 4000;

/** What the last run took; stops after one that is slow. */
async function warmUp(run: Run, slowMs: number): Promise<number> {
  let [spent, taken] = [0, 0];
  for (let turns = 0; turns < WARM_UP_RUNS && spent < WARM_UP_MS; turns++) {
    taken = await time(run);
    spent += taken;
    if (taken >= slowMs) break;
  }
  return taken;
}

export interface Measured<K extends string> {
  /** Medians, in milliseconds. */
  readonly ms: Readonly<Record<K, number>>;
  /** How often each ran: once what is slow. */
  readonly turns: Readonly<Record<K, number>>;
  /** How many times longer `a` takes than `b`: the median over the rounds, each within itself. */
  ratio(a: K, b: K): number;
}

export interface InterleavedOptions {
  readonly rounds: number;
  /** What takes longer, in milliseconds, runs once. */
  readonly slowMs?: number;
  /**
   * Milliseconds of rest before every turn, where what ran before may leave threads that spin. What is
   * quick is warmed up again after it, for its own threads and caches are cold then.
   */
  readonly restMs?: number;
}

/** Runs take turns; every round has one of each. */
export async function interleaved<K extends string>(
  runs: Readonly<Record<K, Run>>,
  { rounds, slowMs = SLOW_MS, restMs = 0 }: InterleavedOptions,
): Promise<Measured<K>> {
  const entries = Object.entries(runs) as [K, Run][];
  const times = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<
    K,
    number[]
  >;
  const slow = new Set<K>();
  const lastOf = {} as Record<K, number>;
  for (const [name, run] of entries) {
    lastOf[name] = await warmUp(run, slowMs);
    if (lastOf[name] < slowMs) continue;
    slow.add(name);
    times[name].push(lastOf[name]);
  }
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of entries) {
      if (slow.has(name)) continue;
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      if (restMs > 0 && lastOf[name] < WARM_UP_MS) await warmUp(run, slowMs);
      lastOf[name] = await time(run);
      times[name].push(lastOf[name]);
    }
  const medians = entries.map(([name]) => [name, median(times[name])]);
  const ms = Object.fromEntries(medians) as Record<K, number>;
  const turns = Object.fromEntries(entries.map(([name]) => [name, times[name].length]));
  return {
    ms,
    turns: turns as Record<K, number>,
    ratio: (a, b) =>
      times[a].length === times[b].length
        ? median(times[a].map((t, round) => t / times[b][round]))
        : ms[a] / ms[b],
  };
}
