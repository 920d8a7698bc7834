// Collections on demand, for tests of what memory is let go.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Runs a full garbage collection. */
export const collect: () => void = runInNewContext('gc');

/** Ends the job: a WeakRef that was read or made in it may then lose its target. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
