import { defineOp } from '../autograd/op.js';
import { Tensor } from '../tensor/tensor.js';

const signOp = defineOp({
  name: 'sign',
  forward: ([x]) =>
    new Tensor({ device: x.device, shape: x.shape, storage: x.device.kernels.unary('sign', x) }),
  backward: () => [null],
  flat: true,
});

/**
 * The sign as a factor in derivatives. It passes nothing back, rather than zeros as `sign` does:
 * a zero becomes NaN on its way through an infinite slope, such as that of log at 0.
 */
export const slopeSign = (x: Tensor): Tensor => signOp([x], undefined);
