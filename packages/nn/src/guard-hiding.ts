import { guard, unseen } from '@voxgrad/core';

/** core's guard around `f`, which gives back what it makes on the way and does not return. */
export const guardHiding = <F extends (...args: never[]) => unknown>(
  name: string,
  text: string,
  f: F,
): F => {
  const call: (...args: never[]) => unknown = f;
  return guard(name, text, ((...args: never[]) => unseen(() => call(...args))) as F);
};
