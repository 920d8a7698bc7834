// What this browser gives the engine, and honestly what it does not.

import type { Environment } from '../shared/protocol.js';
import { element, make, select } from './dom.js';

export function showEnvironment({ isolated, threads, cores, webgpu, keepsSessions }: Environment) {
  const picker = 'showSaveFilePicker' in window;
  const badges: readonly (readonly [text: string, good: boolean, title: string])[] = [
    [
      threads === 1 ? '1 thread' : `${threads} threads`,
      threads > 1 || cores === 1,
      `${cores} processor(s)`,
    ],
    [
      isolated ? 'isolated' : 'not isolated',
      isolated,
      'Cross-origin isolation allows shared memory',
    ],
    ['SIMD', true, 'Kernels are WebAssembly SIMD'],
  ];
  element('environment').replaceChildren(
    ...badges.map(([text, good, title]) =>
      make('li', { class: good ? 'good' : 'poor', title }, text),
    ),
  );
  const missing = [
    isolated
      ? ''
      : 'This page is not cross-origin isolated, so memory cannot be shared: kernels run on one thread. A ' +
        'server that sends Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: ' +
        'require-corp changes that. Results are the same.',
    webgpu
      ? 'WebGPU is here, but voxgrad has no device for it yet: nothing runs on the graphics processor.'
      : 'No WebGPU in this browser; voxgrad has no device for it yet either.',
    picker
      ? ''
      : 'This browser cannot write to files that you choose: networks are saved as downloads.',
    keepsSessions ? '' : 'IndexedDB is not available: nothing is kept when the tab closes.',
  ].filter((text) => text !== '');
  element('missing').replaceChildren(...missing.map((text) => make('li', {}, text)));
  if (isolated) return;
  const [all] = select('device').options;
  all.textContent = 'wasm, one thread';
  select('device').querySelector('[value=wasm-1]')?.remove();
}
