// npm run bench [-- suite… --quick --threads=N]: each suite in a process of its own, so that none
// inherits another's memory.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { progress } from './lib/options.js';

const SUITES: Record<string, () => Promise<() => Promise<void>>> = {
  peak: async () => (await import('./suites/peak.js')).peak,
  direct: async () => (await import('./suites/direct.js')).direct,
  elementwise: async () => (await import('./suites/elementwise.js')).elementwise,
  unet: async () => (await import('./suites/unet.js')).unet,
  memory: async () => (await import('./suites/memory.js')).memory,
  patterns: async () => (await import('./suites/patterns.js')).patterns,
  selection: async () => (await import('./suites/selection.js')).selection,
  plan: async () => (await import('./suites/plan.js')).planSuite,
  torch: async () => (await import('./suites/torch.js')).torch,
  peers: async () => (await import('./suites/peers.js')).peers,
  checkpoint: async () => (await import('./suites/checkpoint.js')).checkpoint,
  tfjs: async () => (await import('./suites/tfjs.js')).tfjs,
  brain: async () => (await import('./suites/brain.js')).brain,
};

const args = process.argv.slice(2);
const asked = args.filter((arg) => !arg.startsWith('--'));
const unknown = asked.filter((name) => !(name in SUITES));

if (unknown.length > 0) {
  progress(`no suite is called ${unknown.join(', ')}; known: ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}

if (asked.length === 1) {
  const suite = await SUITES[asked[0]]();
  await suite();
} else {
  const flags = args.filter((arg) => arg.startsWith('--'));
  const names = asked.length > 0 ? asked : Object.keys(SUITES);
  const failed = names.filter((name) => {
    const command = [...process.execArgv, fileURLToPath(import.meta.url), name, ...flags];
    return spawnSync(process.execPath, command, { stdio: 'inherit' }).status !== 0;
  });
  if (failed.length > 0) {
    progress(`failed: ${failed.join(', ')}`);
    process.exit(1);
  }
}
