import { defineConfig } from 'tsup';

/** ESM, CommonJS and types of one package; its dependencies stay imports. */
export const packageConfig = (entry: string[] = ['src/index.ts']) =>
  defineConfig({
    entry,
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    sourcemap: true,
    clean: true,
    // Class names reach users through errors and traces.
    keepNames: true,
    // Types resolve through the built packages, which the build script makes in dependency order.
    dts: { compilerOptions: { customConditions: [] } },
    external: [/^@voxgrad\//, /^node:/],
  });
