// A plan as text that keeps its columns wherever it is pasted.

import { argumentError, describe } from '@voxgrad/core';
import type { Pass, PlanCheck } from './native.js';
import type { LayerPlan, Plan, PlanStep } from './plan.js';
import type { Remedies } from './remedies.js';

const WIDTH = 100;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `1.5 MB`, in powers of 1000. */
function inBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

/** Words on lines of at most {@link WIDTH} characters, each after `indent`. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

/** Rows with cells padded to the widest of their column. */
function aligned(rows: readonly (readonly string[])[], right: readonly number[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (right.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd(),
  );
}

/** What does not hold, shortly: `input L1 +1024 B`. */
function shortly(checks: readonly PlanCheck[]): string {
  const broken = checks.filter(({ ok }) => !ok);
  const parts = broken.map(({ pass, check, needBytes, limitBytes }) => {
    const over =
      needBytes === undefined || limitBytes === undefined ? '' : ` +${needBytes - limitBytes} B`;
    return `${pass} ${check}${over}`;
  });
  return [...new Set(parts)].join(', ');
}

function headRows(plan: Plan): string[] {
  const rows = plan.layers.map(({ name, native, strategy, memoryBytes }) => [
    name,
    native.ok ? 'yes' : 'NO',
    strategy ?? 'none',
    inBytes(memoryBytes),
    shortly(native.checks),
  ]);
  return aligned([['layer', 'native', 'backward', 'memory', 'refused for'], ...rows], [3]);
}

const AXIS = ['D', 'H', 'W'];

/** Each entry of `remedies` in words. */
export function remedyLines(remedies: Remedies, width: number): string[] {
  const { axes, dtypes, cann, torchNpu, families } = remedies;
  const lines: string[] = [];
  if (remedies.usualFormats) lines.push('x in its usual format: torch_npu.npu_format_cast(x, 30)');
  if (remedies.switchesOff)
    lines.push(
      'torch.npu.config.allow_internal_format = False and torch.npu.set_compile_mode(jit_compile=False)',
    );
  if (remedies.width !== null) lines.push(`a width of at most ${remedies.width}; it is ${width}`);
  if (axes)
    lines.push(`the axes of the volume in the order ${axes.map((a) => AXIS[a]).join(', ')}`);
  if (remedies.inputGradient !== null)
    lines.push(
      remedies.inputGradient
        ? 'an input that requires its gradient too'
        : 'an input that requires no gradient (a first layer)',
    );
  if (dtypes.length > 0) lines.push(`dtype ${dtypes.join(' or ')}`);
  if (cann.length > 0) lines.push(`CANN ${cann.join(', ')}`);
  if (torchNpu.length > 0) lines.push(`torch_npu ${torchNpu.join(', ')}`);
  if (families.length > 0) lines.push(`a chip of the family ${families.join(' or ')}`);
  return lines;
}

/** `2 × input gradient, one piece: native, x=… (12.3 MB besides)` */
function stepText({ what, kernel, conv, repeats, bytes }: PlanStep): string {
  const times = repeats === 1 ? '' : `${repeats} × `;
  const how = kernel === null ? '' : `: native${conv === null ? '' : ` ${conv}`}`;
  return `${times}${what}${how}${bytes === 0 ? '' : ` (${inBytes(bytes)} besides)`}`;
}

/** Checks that say the same of several passes stand once. */
function alike(checks: readonly PlanCheck[]): { passes: Pass[]; check: PlanCheck }[] {
  const groups: { passes: Pass[]; check: PlanCheck }[] = [];
  for (const check of checks) {
    const known = groups.find((group) => group.check.text === check.text);
    if (known) known.passes.push(check.pass);
    else groups.push({ passes: [check.pass], check });
  }
  return groups;
}

function* refusal(
  { name, conv, input, call, native, strategy, steps }: LayerPlan,
  cite: (source: string) => number,
): Generator<string> {
  yield '';
  yield `${name}: ${conv} ${call.dtype}`;
  for (const { passes, check } of alike(native.checks.filter(({ ok }) => !ok))) {
    const { needBytes, limitBytes, code, text, source } = check;
    const numbers =
      needBytes === undefined || limitBytes === undefined
        ? ''
        : `: needs ${needBytes} B of ${limitBytes} B, ${needBytes - limitBytes} B too many`;
    yield `  ${passes.join(', ')}: ${check.check}${numbers}`;
    yield* wrapped(`${code ? `${code}: ` : ''}${text}`, '    ');
    yield `    source [${cite(source)}]`;
  }
  yield strategy === null ? '  no strategy runs it here' : `  runs by the strategy ${strategy}`;
  for (const step of steps) yield* wrapped(stepText(step), '    ');
  const ways = native.remedies ? remedyLines(native.remedies, input[input.length - 1]) : [];
  if (ways.length === 0) yield '  nothing tried here makes the native operators take it';
  else yield '  the native operators would take it with any one of';
  for (const way of ways) yield* wrapped(way, '    ');
}

/** The whole plan, line by line. */
export function* planLines(plan: Plan): Generator<string> {
  const { totals } = plan;
  const torchNpu = plan.torchNpu ?? `of ${plan.assumedTorchNpu} (assumed)`;
  yield `${plan.device}, CANN ${plan.cann}, torch_npu ${torchNpu}, L1 ${plan.l1Bytes} B per core`;
  yield '';
  yield* headRows(plan);
  const seen = new Set<string>();
  const sources: string[] = [];
  const cite = (source: string): number => {
    if (!sources.includes(source)) sources.push(source);
    return sources.indexOf(source) + 1;
  };
  for (const layer of plan.layers) {
    if (layer.native.ok) continue;
    const key = JSON.stringify(layer.call);
    if (seen.has(key)) continue; // explained at the first layer of its kind
    seen.add(key);
    yield* refusal(layer, cite);
  }
  if (sources.length > 0) yield '';
  for (const [i, source] of sources.entries()) {
    const [first, ...rest] = wrapped(source, '      ');
    yield `  [${i + 1}] ${first.trimStart()}`;
    yield* rest;
  }
  yield '';
  yield `${totals.layers - totals.refused} of ${totals.layers} layers run natively; kept for the backward ${inBytes(totals.savedBytes)}, largest layer ${inBytes(totals.largestBytes)}`;
}

/** {@link planLines} as one text. */
export function planTable(plan: Plan): string {
  if (!Array.isArray(plan?.layers))
    throw argumentError(`planTable(): expected what plan() returned, but got ${describe(plan)}`);
  return [...planLines(plan)].join('\n');
}
