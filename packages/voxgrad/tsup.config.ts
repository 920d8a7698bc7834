import { defineConfig, type Options } from 'tsup';
import { packageConfig } from '../tsup.shared.js';

/** All of voxgrad in one file, for pages without a bundler: `<script>` with the global `voxgrad`, and ESM. */
const onePage: Options = {
  entry: { voxgrad: 'src/page.ts' },
  outDir: 'dist/page',
  format: ['esm', 'iife'],
  globalName: 'voxgrad',
  target: 'es2022',
  platform: 'browser',
  minify: true,
  splitting: false,
  noExternal: [/./],
};

export default defineConfig([
  ...packageConfig(
    ['index', 'composite', 'onnx', 'train', 'train-terminal', 'cli', 'worker'].map(
      (name) => `src/${name}.ts`,
    ),
    ['src/**/*.ts', '!src/cli.ts', '!src/cli/**', '!src/page.ts'],
  ),
  onePage,
]);
