import * as vg from 'voxgrad';
import { torchVersion } from './cases.js';
import { type Group, type Namespace, namespaces } from './names.js';
import type { PathResult } from './results.js';

/** Powers of ten alone: the last digits say nothing. */
function rounded(error: number | undefined): string {
  if (error === undefined) return '';
  if (error === 0) return '0';
  return Number.isFinite(error) ? error.toExponential(0) : 'differs';
}

function status({ cases, agree, missing, written }: PathResult): string {
  if (missing === cases) return '**missing**';
  const notes = agree < cases ? [`**${cases - agree} differ**`] : [];
  return [...notes, ...(written.size > 0 ? ['written oracle'] : [])].join(', ');
}

const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

function table(results: readonly PathResult[]): string[] {
  return [
    row('Name', 'Cases', 'Options', 'float64', 'gradient', 'float32', ''),
    '|---|---|---|---|---|---|---|',
    ...results.map((r) =>
      row(
        `\`${r.path}\``,
        r.cases,
        [...r.options].join(', '),
        rounded(r.forward64),
        rounded(r.gradient64),
        rounded(r.float32),
        status(r),
      ),
    ),
  ];
}

/** Methods that have no function of the same name in the umbrella. */
function methodsOnly(results: readonly PathResult[]): string[] {
  const names = results
    .filter((r) => r.kind === 'method' && r.missing < r.cases && !(r.path in vg))
    .map((r) => `\`${r.path}\``);
  return names.length === 0
    ? []
    : [`Methods without a function of the same name: ${names.join(', ')}.`, ''];
}

/** Expectations that are not PyTorch's, and why. */
function writtenOracles(results: readonly PathResult[]): string[] {
  const reasons = new Set(results.flatMap((r) => [...r.written]));
  const lines = [...reasons].map((reason) => {
    const paths = results.filter((r) => r.written.has(reason)).map((r) => `\`${r.path}\``);
    return `- ${paths.join(', ')}: ${reason}`;
  });
  return [
    '## Written oracles',
    '',
    'Rows that compare with a formula of test/oracle/written_oracles.py in place of PyTorch:',
    '',
    ...lines,
    '',
  ];
}

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

function grouped(column: string, groups: readonly Group[]): string[] {
  if (groups.length === 0) return [];
  const rows = groups.map(({ reason, names }) => row(reason, quoted(names)));
  return [row(column, 'Names'), '|---|---|', ...rows, ''];
}

function namesOf({ title, compared, uncompared, different, missing }: Namespace): string[] {
  const sizes = [different, missing].map((groups) => groups.flatMap(({ names }) => names).length);
  const present = compared.length + uncompared.length;
  return [
    `## Names of ${title}`,
    '',
    `${present} present, ${sizes[0]} written otherwise, ${sizes[1]} missing.`,
    '',
    ...(compared.length > 0 ? [`Present, with rows above: ${quoted(compared)}.`, ''] : []),
    ...(uncompared.length > 0 ? [`Present without a row: ${quoted(uncompared)}.`, ''] : []),
    ...grouped('Instead', different),
    ...grouped('Missing: why', missing),
  ];
}

/** docs/parity.md */
export function markdown(results: readonly PathResult[]): string {
  const rows = results.reduce((sum, r) => sum + r.cases, 0);
  const agree = results.reduce((sum, r) => sum + r.agree, 0);
  const groups = [...new Set(results.map((r) => r.family))];
  return [
    '# Parity with PyTorch',
    '',
    `Written by \`npm run parity\` from test/fixtures/operations.* (PyTorch ${torchVersion}); do not edit.`,
    '',
    `${agree} of ${rows} rows agree, under ${results.length} names. A row is one call: its outputs, the gradients of its`,
    'inputs and parameters for a random gradient, and buffers after the call. An error is',
    'max|ours − PyTorch| / max(1, max|PyTorch|), the largest over the rows of a name: of outputs in float64, of',
    'gradients in float64, and of both in float32. Bounds: 1e-12 and 2e-6. NaN, infinities, shapes, dtypes and whole',
    'numbers must be equal. Inputs are float32 numbers in both runs, so that PyTorch’s float64 result is the truth for',
    'either, except after a seed, where the random numbers depend on the dtype. A gradient that PyTorch leaves',
    'undefined counts as zeros; where its gradient is not finite, ours need only not be finite. Plain names are methods',
    'of a tensor, and functions of the package where these exist.',
    '',
    ...groups.flatMap((family) => [
      `## ${family[0].toUpperCase()}${family.slice(1)}`,
      '',
      ...table(results.filter((r) => r.family === family)),
      '',
    ]),
    ...writtenOracles(results),
    ...methodsOnly(results),
    'The public names of PyTorch follow. Random functions are compared in test/fixtures/random_streams.*.',
    '',
    ...namespaces.flatMap(namesOf),
  ].join('\n');
}
