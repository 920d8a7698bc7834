import { defaultClientConditions, defineConfig } from 'vite';

/** What a page needs to be cross-origin isolated, and so to have shared memory and threads. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  base: './',
  // The sources of voxgrad's packages, so that the page needs no build of them.
  resolve: { conditions: ['voxgrad-source', ...defaultClientConditions] },
  worker: { format: 'es' },
  build: { target: 'es2022' },
  server: { headers: ISOLATION },
  preview: { headers: ISOLATION },
});
