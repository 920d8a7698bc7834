import { defineConfig } from 'vitest/config';

// Tests read the sources of all packages (the export condition `voxgrad-source`), so none needs a build.
export default defineConfig({
  ssr: { resolve: { conditions: ['voxgrad-source', 'module', 'import', 'node', 'default'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/support/all-methods.ts'],
    testTimeout: 120_000,
    maxWorkers: '100%', // one fewer by default, which leaves a machine of two cores with one
    server: { deps: { inline: [/@voxgrad/, /^voxgrad/] } },
  },
});
