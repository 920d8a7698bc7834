// `--device tfjs:cpu`: TensorFlow.js is no dependency, so it is taken from where the command runs.

import { join } from 'node:path';
import { type Device, getDevice, VoxgradError } from '@voxgrad/core';
import { createTfjsDevice } from '@voxgrad/tfjs';
import { packageFrom } from '../bench/peers/packages.js';

/** What a program of TensorFlow.js does first. */
interface Tfjs {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
}

/** The device called `name`: one that is there already, or `tfjs:<backend>`. */
export async function otherDevice(name: string): Promise<Device> {
  const [, backend] = /^tfjs:(\w+)$/.exec(name) ?? [];
  if (backend === undefined) return getDevice(name);
  const core = '@tensorflow/tfjs-core';
  const own = `@tensorflow/tfjs-backend-${backend}`;
  const from = join(process.cwd(), 'from-here.js');
  try {
    const tf = await packageFrom<Tfjs>(from, core);
    await packageFrom<unknown>(from, own);
    if (!(await tf.setBackend(backend))) throw new Error(`the backend ${backend} does not start`);
    await tf.ready();
    return createTfjsDevice(tf as unknown as Parameters<typeof createTfjsDevice>[0]);
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new VoxgradError(
      'DEVICE',
      `${name}: TensorFlow.js does not run from this folder (${reason}); npm install ${core} ${own} here first. ` +
        'In Node there are tfjs:cpu and tfjs:wasm',
      { cause: error },
    );
  }
}
