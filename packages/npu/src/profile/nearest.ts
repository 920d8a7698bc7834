import { distance } from 'fastest-levenshtein';

/** The `count` names that are most alike to `name`, best first, ignoring case. */
export function nearest(name: string, known: readonly string[], count: number): string[] {
  const wanted = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, off: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.off - b.off)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}
