// ESM and CommonJS copies of voxgrad can be loaded into one process. What must exist once
// (default device, grad mode, generator, strategy registry) lives under `Symbol.for`, and
// `instanceof` asks for a brand instead of comparing constructors.

const HOME = Symbol.for('voxgrad.shared');

type Home = Map<string, unknown>;

/** The process-wide value named `name`, made by `create` at first use. */
export function shared<T>(name: string, create: () => T): T {
  const scope = globalThis as { [HOME]?: Home };
  scope[HOME] ??= new Map();
  const home = scope[HOME];
  if (!home.has(name)) home.set(name, create());
  return home.get(name) as T;
}

/**
 * `value instanceof asked` for a family of classes marked by `brand`: the base accepts any branded
 * object, from whichever copy of the library; a subclass accepts its own instances.
 */
export function instanceOfBrand(
  asked: unknown,
  base: unknown,
  brand: symbol,
  value: unknown,
): boolean {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false;
  return asked === base || Function.prototype[Symbol.hasInstance].call(asked, value);
}
