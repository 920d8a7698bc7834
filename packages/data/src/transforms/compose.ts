import { argumentError, describe } from '@voxgrad/core';
import type { Transform } from './random.js';
import type { Sample } from './sample.js';

/** Several transforms, one after the other. */
export class Compose implements Transform {
  constructor(readonly transforms: readonly Transform[]) {
    const odd = transforms.find((transform) => typeof transform?.call !== 'function');
    if (odd !== undefined)
      throw argumentError(`Compose: expected transforms, but got ${describe(odd)}`);
  }

  call<S extends Sample>(sample: S): S {
    return this.transforms.reduce((s, transform) => transform.call(s), sample);
  }
}
