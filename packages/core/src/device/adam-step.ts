import type { Tensor } from '../tensor/tensor.js';
import type { AdamNumbers, AdamViews } from './device.js';

/**
 * One step of Adam in a kernel of the device, in place; false where it has none that takes these
 * tensors, and nothing has happened. Off the tape.
 */
export function adamStep(tensors: AdamViews<Tensor>, numbers: AdamNumbers): boolean {
  const { parameter, gradient, mean, square, largest } = tensors;
  const { device, dtype } = parameter;
  const run = device.kernels.adamStep;
  const written = [parameter, mean, square, ...(largest ? [largest] : [])];
  const fits = [...written, gradient].every(
    (t) => t.dtype === dtype && t.device === device && t.isContiguous,
  );
  if (!run || !fits || (dtype !== 'float32' && dtype !== 'float64')) return false;
  run(tensors, numbers);
  for (const tensor of written) tensor.storage.writes.count++;
  return true;
}
