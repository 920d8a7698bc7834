// A network with dilations on a real MRI, on the backends of Node.

import { expect, it } from 'vitest';
import { mriIsHere, titledMri } from '../../../test/support/mri.js';
import { expectAgreement, readMri, reference, SIZE } from './mri.js';
import { BACKENDS, deviceOn } from './support.js';
import { brain } from './workloads.js';

const timeout = 1_200_000;

it.skipIf(!mriIsHere).each(BACKENDS)(
  titledMri('a network of an MRI is run and fine-tuned on %s'),
  async (backend) => {
    const found = await brain(await deviceOn(backend), readMri, SIZE);
    expect(found.losses).toHaveLength(SIZE.steps);
    expectAgreement(found, await reference());
  },
  timeout,
);
