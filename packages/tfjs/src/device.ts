import {
  cpuKernels,
  Device,
  type DType,
  type Kernels,
  registerDevice,
  VoxgradError,
} from '@voxgrad/core';
import { Backend, type TfjsModule } from './backend.js';
import { checkConv } from './checks.js';
import { assign, copy, fill } from './convert.js';
import { convBackward, convForward, convWeight } from './convolution.js';
import { elementsOf } from './elements.js';
import { binary, bitwise, compare, reluBackward, unary, where } from './elementwise.js';
import { adamStep, channelAffine } from './fused.js';
import { gather, scatter, scatterAdd } from './indexing.js';
import { matmul } from './linear.js';
import { maxPoolIndices, spreadPool, sumPool } from './pool.js';
import { argReduce, argScan, argSort, recurrence, reduce, searchSorted } from './reduce.js';
import type { Tfjs } from './types.js';

/** A device over one backend of TensorFlow.js. */
export interface TfjsDevice extends Device {
  readonly kind: 'tfjs';
}

/** What it is inside. */
export class BackendDevice extends Device implements TfjsDevice {
  readonly kind = 'tfjs';

  constructor(readonly backend: Backend) {
    super(
      `tfjs:${backend.name}`,
      'tfjs',
      {
        computes: COMPUTES,
        synchronous: backend.synchronous,
        profile: null,
        foreign: true,
        ownKernels: OWN,
        convAddsBias: true,
        checkConv,
      },
      kernelsOf(backend),
    );
  }
}

// Integers are for indices and labels; tfjs itself has no float64 and no int64.
const COMPUTES = new Set<DType>(['float32', 'int64', 'int32', 'int16', 'int8', 'uint8', 'bool']);

/** Made here out of element-wise calls, and so as right as those. */
const OWN: ReadonlySet<keyof Kernels> = new Set<keyof Kernels>([
  'sumPool',
  'spreadPool',
  'maxPoolIndices',
  'reluBackward',
  'channelAffine',
  'adamStep',
]);

/**
 * A device over the current backend of TensorFlow.js (cpu, wasm, webgl, webgpu, or another one that
 * is registered): `await tf.ready()` first, then `createTfjsDevice(tf)`. It is registered as
 * `tfjs:<backend>`; several may be used side by side.
 *
 * Tensors live in tfjs, and every primitive runs there. The convolution kernels are tfjs's own, and
 * run only where they agree with the reference: found out at the first use on backends that are
 * read synchronously, and by `await certify(device)` on the others. Until then, and where they are
 * wrong, convolutions are composed.
 *
 * @throws VoxgradError DEVICE where tfjs has no backend yet, or is set to compute wrongly
 */
export function createTfjsDevice(tf: Tfjs): TfjsDevice {
  const name = tf.getBackend();
  if (!name)
    throw new VoxgradError(
      'DEVICE',
      'createTfjsDevice(): tfjs has no backend yet; import one (such as @tensorflow/tfjs-backend-cpu) ' +
        'and await tf.ready() first',
    );
  const module = tf as TfjsModule;
  if (name === 'webgl' && module.env().getBool('WEBGL_USE_SHAPES_UNIFORMS'))
    throw new VoxgradError(
      'DEVICE',
      'createTfjsDevice(): with WEBGL_USE_SHAPES_UNIFORMS, tfjs (4.22) reads wrong elements of tensors that ' +
        "are longer than a texture is wide; tf.env().set('WEBGL_USE_SHAPES_UNIFORMS', false) first",
    );
  const device = new BackendDevice(new Backend(module, name));
  registerDevice(device);
  return device;
}

function kernelsOf(backend: Backend): Kernels {
  return {
    fill: (...args) => fill(backend, ...args),
    copy: (...args) => copy(backend, ...args),
    assign: (...args) => assign(backend, ...args),
    unary: (...args) => unary(backend, ...args),
    binary: (...args) => binary(backend, ...args),
    bitwise: (...args) => bitwise(backend, ...args),
    compare: (...args) => compare(backend, ...args),
    where: (...args) => where(backend, ...args),
    reduce: (...args) => reduce(backend, ...args),
    argReduce: (...args) => argReduce(backend, ...args),
    recurrence: (...args) => recurrence(backend, ...args),
    argScan: (...args) => argScan(backend, ...args),
    argSort: (...args) => argSort(backend, ...args),
    searchSorted: (...args) => searchSorted(backend, ...args),
    matmul: (...args) => matmul(backend, ...args),
    gather: (...args) => gather(backend, ...args),
    scatterAdd: (...args) => scatterAdd(backend, ...args),
    scatter: (...args) => scatter(backend, ...args),
    nonzero: (x) => {
      elementsOf(backend, x.storage); // reading says what to do where it cannot be
      return cpuKernels.nonzero(x);
    },
    maxPoolIndices: (...args) => maxPoolIndices(backend, ...args),
    sumPool: (...args) => sumPool(backend, ...args),
    spreadPool: (...args) => spreadPool(backend, ...args),
    convForward: (...args) => convForward(backend, ...args),
    convWeight: (...args) => convWeight(backend, ...args),
    convBackward: (...args) => convBackward(backend, ...args),
    channelAffine: (...args) => channelAffine(backend, ...args),
    adamStep: (...args) => adamStep(backend, ...args),
    reluBackward: (...args) => reluBackward(backend, ...args),
  };
}
