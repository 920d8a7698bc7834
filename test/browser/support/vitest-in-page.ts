// As much of vitest as the device suite uses, for a page: tests are collected, then run one by one. The
// matchers are vitest's own.

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  chai,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
void addCustomEqualityTesters;

export const expect = ((value: unknown, message?: string) =>
  chai.expect(value, message)) as unknown as Chai.ExpectStatic;
Object.assign(
  expect,
  chai.expect,
  (globalThis as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT],
);
setState({ assertionCalls: 0, testPath: '', currentTestName: '' } as never, expect as never);

type Body = (...args: never[]) => unknown;

interface Test {
  readonly name: string;
  readonly run: () => unknown;
}

const tests: Test[] = [];
const path: string[] = [];

/** `%s` and `$key` of a title. */
function titled(title: string, row: unknown): string {
  const list = Array.isArray(row) ? row : [row];
  let at = 0;
  return title
    .replace(/%s/g, () => String(list[at++]))
    .replace(/\$(\w+)/g, (_, key: string) => String((row as Record<string, unknown>)[key]));
}

const spread = (row: unknown): unknown[] => (Array.isArray(row) ? row : [row]);

export function describe(name: string, body: () => void): void {
  path.push(name);
  body();
  path.pop();
}
describe.each =
  (rows: readonly unknown[]) =>
  (title: string, body: Body): void => {
    for (const row of rows) describe(titled(title, row), () => body(...(spread(row) as never[])));
  };

export function it(name: string, run: () => unknown): void {
  tests.push({ name: [...path, name].join(' > '), run });
}
it.each =
  (rows: readonly unknown[]) =>
  (title: string, body: Body): void => {
    for (const row of rows) it(titled(title, row), () => body(...(spread(row) as never[])));
  };
export const test = it;

export interface PageReport {
  readonly passed: number;
  readonly failed: readonly { readonly name: string; readonly message: string }[];
  readonly ms: number;
  readonly slowest: readonly string[];
}

/** Runs what was collected; `share` of 1/n takes every n-th test. */
export async function runCollected(options: {
  readonly every: number;
  readonly match: string;
  readonly progress: (text: string) => void;
}): Promise<PageReport> {
  const start = performance.now();
  const failed: { name: string; message: string }[] = [];
  const times: [ms: number, name: string][] = [];
  let passed = 0;
  for (const [i, { name, run }] of tests.entries()) {
    if (i % options.every !== 0 || !name.includes(options.match)) continue;
    const from = performance.now();
    try {
      await run();
      passed++;
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      failed.push({ name, message: message.slice(0, 1500) });
    }
    times.push([performance.now() - from, name]);
    if (i % 100 === 0) options.progress(`${i} of ${tests.length}, ${failed.length} failed`);
  }
  times.sort((a, b) => b[0] - a[0]);
  const slowest = times.slice(0, 12).map(([ms, name]) => `${Math.round(ms)} ms ${name}`);
  return { passed, failed, ms: performance.now() - start, slowest };
}
