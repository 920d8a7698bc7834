import { methodOf } from '../guard.js';
import { Tensor } from './tensor.js';

/**
 * Makes the functions of `table`, whose first argument is a tensor, methods of tensors. `signatures` has
 * the names of those that are alike in what they take, by that.
 */
export function attachMethods(
  table: Readonly<Record<string, unknown>>,
  signatures: Readonly<Record<string, string>>,
): void {
  const parameters = new Map(
    Object.entries(signatures).flatMap(([text, names]) =>
      names.split(' ').map((name) => [name, text]),
    ),
  );
  for (const [name, method] of Object.entries(table))
    Object.defineProperty(Tensor.prototype, name, {
      value: methodOf(name, parameters.get(name), method as (...all: unknown[]) => unknown),
      writable: true,
      configurable: true,
    });
}
