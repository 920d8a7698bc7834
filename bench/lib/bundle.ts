// What is timed runs bundled: a loader that compiles sources as they are imported leaves its marks in
// every function, and small operations take longer by them.

import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Where bundles go; packages are looked for from there, and `dist` is nobody's source. */
const OUT = fileURLToPath(new URL('../dist/', import.meta.url));

/** Files of the benchmarks find what lies beside them, wherever the bundle is. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup: (context) => {
    context.onLoad(
      { filter: /[\\/](bench|browser[\\/]support)[\\/].*\.ts$/ },
      async ({ path }) => ({
        loader: 'ts',
        contents: (await readFile(path, 'utf8')).replaceAll(
          'import.meta.url',
          JSON.stringify(pathToFileURL(path).href),
        ),
      }),
    );
  },
};

/** Bundles a program of this folder, such as `programs/peer.ts`, and returns the file. */
export async function bundle(program: string): Promise<string> {
  const [name] = program.split('/').slice(-1);
  const outfile = `${OUT}${name.replace(/\.ts$/, '.mjs')}`;
  await build({
    entryPoints: [fileURLToPath(new URL(`../${program}`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['voxgrad-source'],
    // Whatever else is in node_modules is found there.
    external: [
      '@tensorflow/*',
      'esbuild',
      'echarts',
      'onnxruntime-node',
      '@jax-js/jax',
      'playwright-core',
    ],
    // CommonJS in the bundle asks for modules of Node.
    banner: {
      js: "import { createRequire as __require } from 'node:module'; const require = __require(process.argv[1]);",
    },
    plugins: [ownAddress],
    logLevel: 'warning',
  });
  return outfile;
}
