// How long the main threads of pages were busy at a stretch.

import type { Browser, Page } from 'playwright-core';

/** Milliseconds of the longest task. */
export interface LongestTask {
  /** By the clock: on a busy machine also what others computed meanwhile. */
  readonly clock: number;
  /** Computed by the thread itself. */
  readonly computed: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Runs `work` and says what the longest task of a page's main thread was meanwhile. */
export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<LongestTask> {
  const categories = ['disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  await work();
  const trace: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  const place = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(place),
  );
  const tasks = trace.traceEvents.filter(
    (event) => event.name === 'RunTask' && main.has(place(event)),
  );
  const longest = (of: (event: TraceEvent) => number | undefined) =>
    tasks.reduce((most, event) => Math.max(most, (of(event) ?? 0) / 1000), 0);
  return { clock: longest(({ dur }) => dur), computed: longest(({ tdur }) => tdur) };
}
