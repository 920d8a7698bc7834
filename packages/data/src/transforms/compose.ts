import { argumentError, describe } from '@voxgrad/core';
import type { Transform } from './random.js';
import type { Sample } from './sample.js';

/** Several transforms, one after the other. */
export class Compose implements Transform {
  constructor(readonly transforms: readonly Transform[]) {
    if (!Array.isArray(transforms))
      throw argumentError(
        `Compose: expected a list of transforms, but got ${describe(transforms)}`,
      );
    for (const transform of transforms)
      if (typeof transform?.call !== 'function')
        throw argumentError(`Compose: expected transforms, but got ${describe(transform)}`);
  }

  call<S extends Sample>(sample: S): S {
    return this.transforms.reduce((s, transform) => transform.call(s), sample);
  }
}
