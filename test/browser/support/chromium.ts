// The browser that tests run in, where there is one.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = PATHS.find((path) => existsSync(path));

/** What a test without a browser says. */
export const titled = (name: string): string =>
  chromiumPath ? name : `${name} (skipped: no Chromium in ${PATHS.join(', ')})`;

/** WebGPU in software: for correctness, not for time. */
const WEBGPU = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
];

export const launchChromium = ({ webgpu = false } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--js-flags=--expose-gc',
      ...(webgpu ? WEBGPU : []),
    ],
  });
