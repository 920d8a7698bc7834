// Patterns of names, as shells have them.

import { UsageError } from './command.js';

export const PATTERN_HELP =
  'names of tensors: * stands for any characters, ? for one; /…/ is a regular expression';

/** What `pattern` matches: the whole name, or for `/…/` a part of it. */
export function matcher(pattern: string): (name: string) => boolean {
  const [, expression] = /^\/(.*)\/$/s.exec(pattern) ?? [];
  if (expression === undefined) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    const glob = new RegExp(`^${source}$`, 's');
    return (name) => glob.test(name);
  }
  try {
    const regular = new RegExp(expression);
    return (name) => regular.test(name);
  } catch (error) {
    throw new UsageError(
      `${pattern} is no regular expression (${error instanceof Error ? error.message : error})`,
    );
  }
}
