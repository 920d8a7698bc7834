// How the processes of peers are started.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import type { PeerProgram } from './process.js';
import { JS_PEERS } from './server.js';
import { TORCH_PROGRAM } from './torch-program.js';

/** What may be asked for, and the peers that it stands for. */
export const PEER_GROUPS = {
  torch: ['PyTorch'],
  onnx: ['onnxruntime'],
  tfjs: ['tfjs cpu', 'tfjs wasm'],
  jax: ['jax-js'],
} as const;
export type PeerGroup = keyof typeof PEER_GROUPS;

/** Debian's PyTorch takes the generic BLAS unless OpenBLAS stands before it. */
export function openBlasFolder(): string | null {
  const triples = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const folders = triples.map((triple) => `/usr/lib/${triple}/openblas-pthread`);
  return folders.find((folder) => existsSync(folder)) ?? null;
}

/** The environment of a Python whose PyTorch is to be as fast as it can be here. */
export function pythonEnvironment(): NodeJS.ProcessEnv {
  // A core type that was set for another program would hold OpenBLAS to older kernels.
  const { OPENBLAS_CORETYPE: _, ...env } = process.env;
  const folder = openBlasFolder();
  return folder ? { ...env, LD_LIBRARY_PATH: folder } : env;
}

/** The first Python that has PyTorch, or null. */
export function pythonWithTorch(): string | null {
  const pythons = ['python3', '/usr/bin/python3'];
  const has = (python: string) => spawnSync(python, ['-c', 'import torch']).status === 0;
  return pythons.find(has) ?? null;
}

/**
 * @param serve how a process is started that calls `servePeer` for a peer of JavaScript
 * @returns the programs, and why those that are missing are
 */
export function peerPrograms(
  groups: readonly PeerGroup[],
  serve: (peer: string) => Omit<PeerProgram, 'name'>,
): { programs: PeerProgram[]; missing: Record<string, string> } {
  const missing: Record<string, string> = {};
  const programs = groups.flatMap((group): PeerProgram[] =>
    PEER_GROUPS[group].flatMap((name): PeerProgram[] => {
      if (name in JS_PEERS) return [{ name, infersOnly: name === 'onnxruntime', ...serve(name) }];
      const command = pythonWithTorch();
      if (command === null) {
        missing[name] = 'no python3 here has torch';
        return [];
      }
      return [{ name, command, args: ['-c', TORCH_PROGRAM], env: pythonEnvironment() }];
    }),
  );
  return { programs, missing };
}
