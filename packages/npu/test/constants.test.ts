// No fact without a source, second half: tables.test.ts walks the tables that carry their sources; this
// file walks the constants of the package, so that a new one cannot be added without saying where it is
// written down (`Source: dx_check.`), that it is inferred, or that it is no fact about Ascend at all.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../src/index.js';

const ROOT = fileURLToPath(new URL('../src/', import.meta.url));
/** Folders whose constants are facts; the others read and write texts. */
const FOLDERS = [
  'arithmetic',
  'checks',
  'defects',
  'formats',
  'messages',
  'profile',
  'routing',
  'streams',
];

/** Tables whose entries name their sources one by one; tables.test.ts looks at each. */
const WALKED = new Set([
  ...['SOURCES', 'SOC_FAMILIES', 'SOC_IDS', 'CANN_ERAS', 'GENERATIONS', 'NAMED', 'RUNTIME_ERAS'],
  ...['FORWARD_BOUNDS', 'BACKWARD_BOUNDS', 'LEGACY_FILTER_BOUNDS', 'OPERATOR_TABLES', 'DEFECTS'],
  ...['ACL_FORMATS', 'GRAPH_FORMATS', 'STREAM_ATTRIBUTES', 'LAYOUTS', 'ROWS', 'ERROR_CODES'],
  ...['INNER_CODES', 'ACLNN_RETURN_CODES', 'RUNTIME_CODES'],
  // Rows of OPERATOR_TABLES.
  ...['ASCEND910', 'ASCEND310P', 'ASCEND310B', 'ASCEND910B'],
]);

/** No facts: units and axes, lists made from walked tables, and how this package does its work. */
const OWN = new Set([
  ...['MIB', 'AXIS_NAMES', 'DHW', 'HW', 'SOC_NAMES', 'TORCH_NPU_NAMES', 'STREAM_ATTRIBUTE_NAMES'],
  ...['NAME', 'INDENT', 'FORMAT_REMEDY', 'ARITHMETICS', 'AS_THEY_ARE', 'CONVOLUTIONS', 'CASTABLE'],
]);

interface Constant {
  readonly file: string;
  readonly name: string;
  /** The comment above it, and its own lines. */
  readonly text: string;
}

/** The constants of a file at its top level, each with the comment above. */
function constantsOf(file: string): Constant[] {
  const text = readFileSync(`${ROOT}${file}`, 'utf8');
  const pattern =
    /((?:^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/|\/\/.*)\n)*)^(?:export )?const ([A-Z][A-Z0-9_]+)\b.*/gm;
  return Array.from(text.matchAll(pattern), ([all, , name]) => ({ file, name, text: all }));
}

const constants = FOLDERS.flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => constantsOf(`${folder}/${name}`)),
);

/** The keys behind `Source:` or `Sources:`. */
const sourcesIn = (text: string): string[] =>
  Array.from(text.matchAll(/Sources?: ([a-z0-9_, ]+)/g), ([, list]) =>
    list.trim().split(/,\s*/),
  ).flat();

describe('every constant about Ascend', () => {
  it('is found: there are dozens', () => {
    expect(constants.length).toBeGreaterThan(50);
    for (const name of [...WALKED, ...OWN]) expect(constants.map((c) => c.name)).toContain(name);
  });

  it.each(constants.filter(({ name }) => !WALKED.has(name) && !OWN.has(name)))(
    '$file $name names a source, or says that it is inferred',
    ({ text, name }) => {
      const names = sourcesIn(text);
      for (const key of names) expect(Object.keys(SOURCES)).toContain(key);
      const isSource = /: (readonly )?SourceKey/.test(text);
      expect(names.length > 0 || isSource || /[Ii]nferred/.test(text), name).toBe(true);
    },
  );
});

describe('every formula', () => {
  const formulas = ['forward', 'input-gradient', 'weight-gradient', 'dtypes', 'legacy', 'bounds'];
  it.each(formulas)('of checks/%s.ts refuses with a source from the list', (name) => {
    const text = readFileSync(`${ROOT}checks/${name}.ts`, 'utf8');
    // A refusal is an object with a check; its source stands in the same object or comes with a variable.
    const refusals = text.match(/\bcheck(: '[^']+'|,)/g)?.length ?? 0;
    expect(refusals).toBeGreaterThan(0);
    expect(text).toMatch(/source(: |,)/);
    for (const [, key] of text.matchAll(/SOURCES\.(\w+)/g))
      expect(Object.keys(SOURCES)).toContain(key);
  });
});
