// Programs of the sources in one file: what a build makes, without compiling at every start.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles `program` for Node into `outfile`, whose suffix says the module format, and returns that. */
export async function bundleProgram(program: URL, outfile: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: outfile.endsWith('.cjs') ? 'cjs' : 'esm',
    conditions: ['voxgrad-source'],
    logLevel: 'error',
  });
  return outfile;
}
