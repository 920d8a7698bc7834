// First and second derivatives of every function of nn.functional against central differences, in
// float64. Those that core has are checked there.

import * as core from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { functional } from '../src/index.js';
import { functionRows } from './support/functions.js';

const { gradcheck, gradgradcheck } = core;

describe('derivatives of nn.functional', () => {
  it.each(functionRows.map((r) => [`${r.name}: ${r.note}`, r] as const))('%s', (_, r) => {
    const leaves = () => r.inputs().map((x) => x.requiresGrad_());
    expect(gradcheck(r.run, leaves())).toBe(true);
    expect(gradgradcheck(r.run, leaves(), { fastMode: true })).toBe(true);
  });
});

/** Functions whose results carry no gradient, or carry one that is none. */
const WITHOUT_ROW: Readonly<Record<string, string>> = {
  oneHot: 'gives integers',
};

it('every function has a row in support/functions.ts or a reason for having none', () => {
  const names = Object.entries(functional).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  );
  const rows = new Set<string>(functionRows.map((r) => r.name));
  const inCore = new Map<string, unknown>(Object.entries(core));
  const forgotten = Object.entries(functional).flatMap(([name, value]) =>
    typeof value !== 'function' ||
    name.endsWith('_') || // the same function, written in place
    inCore.get(name) === value ||
    rows.has(name) ||
    name in WITHOUT_ROW
      ? []
      : [name],
  );
  expect(forgotten).toEqual([]);
  expect(Object.keys(WITHOUT_ROW).filter((name) => !names.includes(name))).toEqual([]);
});
