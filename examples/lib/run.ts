// npm run example -- NAME [--option value …]: runs one of the examples beside this folder. Each exports
// `options` with their defaults, and a function that takes them and a folder for what it writes.

import { mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXAMPLES, type Options } from './examples.js';

const OUTPUT = fileURLToPath(new URL('../output/', import.meta.url));

class UsageError extends Error {}

/** `--name value` pairs over the defaults, numbers where the default is one. */
function parse(defaults: Options, args: readonly string[]): Options {
  const known = Object.entries(defaults).map(([name, value]) => `--${name} ${value || 'PATH'}`);
  const options: Record<string, number | string> = { ...defaults };
  for (let i = 0; i < args.length; i += 2) {
    const [flag, value] = [args[i], args[i + 1]];
    const name = flag.replace(/^--/, '');
    if (!flag.startsWith('--') || !(name in defaults))
      throw new UsageError(`no option ${flag}; there are ${known.join(', ')}`);
    if (value === undefined || value === '') throw new UsageError(`${flag} should have a value`);
    const isNumber = typeof defaults[name] === 'number';
    if (isNumber && !(Number.isInteger(Number(value)) && Number(value) >= 0))
      throw new UsageError(`${flag} should be a whole number, but got ${value}`);
    options[name] = isNumber ? Number(value) : value;
  }
  return options;
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  const names = Object.keys(EXAMPLES);
  if (name === undefined || !names.includes(name))
    throw new UsageError(
      `${name === undefined ? 'no name given;' : `no example ${name};`} there are ${names.join(', ')}`,
    );
  const { default: run, options } = await EXAMPLES[name as keyof typeof EXAMPLES]();
  const chosen = parse(options, args);
  await mkdir(OUTPUT, { recursive: true });
  const start = performance.now();
  // The options have the names and types of this example's own: `parse` took them from its defaults.
  const { picture } = await (run as (options: Options, folder: string) => ReturnType<typeof run>)(
    chosen,
    OUTPUT,
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${seconds} s. Look at ${relative(process.cwd(), picture)}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`usage: npm run example -- NAME [--option value …]\n${error.message}`);
  process.exitCode = 2;
});
