import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A package as `T`, looked for from a file; in whichever form `require` finds it. */
export async function packageFrom<T>(from: string, name: string): Promise<T> {
  const path = createRequire(from).resolve(name);
  const loaded = (await import(pathToFileURL(path).href)) as T & { default?: T };
  return loaded.default ?? loaded;
}

export function versionOf(from: string, name: string): string {
  try {
    return (createRequire(from)(`${name}/package.json`) as { version: string }).version;
  } catch {
    return ''; // not every package shows its manifest
  }
}
