import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';

/** Functions whose calls only make something, so that a bundler may drop what nobody uses. */
const MAKERS = [
  ...[
    'withCurves',
    'defineOp',
    'defineMultiOp',
    'defineBinary',
    'onTensors',
    'guard',
    'guardHiding',
    'shared',
  ],
  ...['place', 'placeSaved', 'placeConstant', 'anyDtype', 'real', 'curve', 'without'],
  ...[
    'withRealValues',
    'extremeOp',
    'newFilled',
    'withMean',
    'runningExtreme',
    'logAdd',
    'extremum',
  ],
  ...['cumulative', 'boundOp', 'argOp', 'floatsOnly', 'remembered'],
];
const MAKING = new RegExp(`(?<![\\w.*'"\`] ?)(?<!function )\\b(${MAKERS.join('|')})(?=[(<])`, 'g');
const CLASS = /^(export (?:abstract )?class (\w+)\b[^{]*\{)$/gm;

/** A program that is kept as text, which no bundler minifies; `${…}` in it stand for one value each. */
const PROGRAM = /(?<=^export const \w+_SOURCE = `)[^`]*(?=`;$)/m;

async function withSmallProgram(source: string, esbuild: import('esbuild').PluginBuild['esbuild']) {
  const text = PROGRAM.exec(source)?.[0];
  if (text === undefined) return source;
  const values: string[] = [];
  const named = text.replace(/\$\{[^}]*\}/g, (value) => `$value${values.push(value) - 1}$`);
  const { code } = await esbuild.transform(named, { minify: true });
  const small = code
    .replace(/[\\`]|\$(?=\{)/g, '\\$&')
    .replace(/\$value(\d+)\$/g, (_, index) => values[Number(index)]);
  return source.replace(PROGRAM, () => small);
}

/**
 * What bundlers of pages need to be told: which calls are pure, and the names of classes, which reach
 * users through errors and traces and which minifiers shorten.
 */
const forBundlers = {
  name: 'for-bundlers',
  setup(build: import('esbuild').PluginBuild) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await withSmallProgram(await readFile(path, 'utf8'), build.esbuild))
        .replace(MAKING, '/* @__PURE__ */ $1')
        .replace(CLASS, "$1 static override readonly name: string = '$2';"),
      loader: 'ts',
    }));
  },
};

/**
 * A package in three forms; its dependencies stay imports. ESM and CommonJS in few files for Node, with
 * types, and in `dist/esm` file by file for bundlers, which then leave out what a program does not use.
 */
export const packageConfig = (
  entry: string[] | Record<string, string> = ['src/index.ts'],
  pages: string[] = ['src/**/*.ts'],
): Options[] => {
  // Once for both builds, which run at the same time.
  rmSync('dist', { recursive: true, force: true });
  return [
    {
      entry,
      format: ['esm', 'cjs'],
      target: 'es2022',
      platform: 'neutral',
      splitting: true,
      sourcemap: true,
      // Class names reach users through errors and traces.
      keepNames: true,
      // Types resolve through the built packages, which the build script makes in dependency order.
      dts: { compilerOptions: { customConditions: [] } },
      external: [/^@voxgrad\//, /^node:/],
      // Of comlink Node finds only a form whose names it cannot see; the others are ESM alone.
      noExternal: ['comlink', 'd3-scale', 'd3-shape', 'fast-png'],
    },
    {
      entry: pages,
      outDir: 'dist/esm',
      format: 'esm',
      target: 'es2022',
      platform: 'neutral',
      bundle: false,
      esbuildPlugins: [forBundlers],
    },
  ];
};
