// The order of CANN's version names: 8.2.RC1.alpha003 < 8.2.RC1 < 8.3.RC1 < 8.5.0.alpha002 <
// 8.5.0-beta.1 < 8.5.0 < 8.5.1. A release candidate comes before the .0 of its minor version, an alpha
// before the betas of what it leads to.

/** `major.minor`, then `.RCn[.n]` or `.patch`, then an optional alpha or beta. */
const NAME = /^(\d+)\.(\d+)\.(?:RC(\d+)|(\d+))((?:[.-](?:(?:alpha|beta|pre)\.?)?\d*)*)$/i;

/** What versions are compared by, field by field; null for what is no version name. */
function fields(version: string): readonly number[] | null {
  const match = NAME.exec(version);
  if (!match) return null;
  const [, major, minor, candidate, patch, rest] = match;
  const further = Number(/^\.(\d+)/.exec(rest)?.[1] ?? 0); // 6.3.RC3.1
  const stage = /alpha|beta/i.exec(rest)?.[0].toLowerCase();
  const stages = { alpha: 0, beta: 1, final: 2 };
  return [
    Number(major),
    Number(minor),
    Number(patch ?? 0),
    candidate === undefined ? Number.POSITIVE_INFINITY : Number(candidate),
    further,
    stages[stage === 'alpha' || stage === 'beta' ? stage : 'final'],
    Number(/(?:alpha|beta)\.?(\d+)/i.exec(rest)?.[1] ?? 0),
    /\bpre\b/i.test(rest) ? 0 : 1,
  ];
}

export const isCannName = (version: string): boolean => fields(version) !== null;

/** Negative where `a` is older than `b`, 0 where they are the same, positive where it is newer. */
export function compareCann(a: string, b: string): number {
  const [left, right] = [fields(a) ?? [], fields(b) ?? []];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? -1, right[i] ?? -1];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
