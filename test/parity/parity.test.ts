// Every row of test/fixtures/operations.* against PyTorch, in both floating dtypes.

import { describe, expect, it } from 'vitest';
import { type Case, cases } from './support/cases.js';
import { namespaces } from './support/names.js';
import { describeFinding, differs, runCase } from './support/run.js';

/** What a row calls, as its test's title. */
const title = (c: Case) => {
  const { args, options = {}, inputs, callOptions, wrap, train } = c;
  const given = JSON.stringify([args, options, inputs, callOptions, wrap, train])
    .replace(/,null|\{"tensor":"given (\d+)"(,"grad":true)?\}/g, (_, key) => (key ? `t${key}` : ''))
    .slice(0, 150);
  return `${c.name}: ${given}`;
};

const RUNS = [
  ['float64', 'contiguous'],
  ['float32', 'contiguous'],
  ['float64', 'strided'],
] as const;

const applies = (c: Case, precision: string, layout: string) =>
  !(precision === 'float32' && c.float64Only) &&
  // A view of strided elements may not exist, or shows others: as in PyTorch.
  !(layout === 'strided' && ['view', 'viewAs', 'asStrided'].includes(c.path));

for (const family of new Set(cases.map((c) => c.family)))
  describe(family, () => {
    for (const c of cases.filter((one) => one.family === family))
      it(title(c), () => {
        for (const [precision, layout] of RUNS.filter(([p, l]) => applies(c, p, l))) {
          const { forward, gradient } = runCase(c, precision, layout);
          const found = [...forward, ...gradient].filter(differs).map(describeFinding);
          expect(found, `${precision}, ${layout}`).toEqual([]);
        }
      });
  });

describe('names of PyTorch', () => {
  it.each(namespaces.map((n) => [n.title, n] as const))(
    '%s: what is left out has a reason',
    (_, n) => {
      expect(n.missing.filter(({ reason }) => reason === '')).toEqual([]);
    },
  );
});
