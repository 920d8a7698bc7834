import { argumentError } from './errors.js';
import { describe } from './tensor/shape.js';

const plainName = (name: string) => name.replaceAll('_', '').toLowerCase();

/**
 * Refuses what is not an options object, a name that `operation` does not know (with the name that
 * may have been meant), and null where nothing is meant: leave an option out instead.
 */
export function checkOptions(operation: string, given: unknown, names: readonly string[]): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw argumentError(
      `${operation}(): expected an options object { ${names.join(', ')} }, but got ${describe(given)}`,
    );
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      const meant = names.find((known) => plainName(known) === plainName(name));
      throw argumentError(
        `${operation}() got an unexpected option '${name}'` +
          (meant ? `; did you mean '${meant}'?` : `; it takes ${names.join(', ')}`),
      );
    }
    if (value === null)
      throw argumentError(
        `${operation}(): option '${name}' must not be null; leave it out instead`,
      );
  }
}
