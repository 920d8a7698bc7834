// A device over the reference kernels that refuses what is larger than its limits, both when asked
// and when called: a strategy that runs a step it has not asked about fails.

import * as vg from '../../src/index.js';

export interface Limits {
  readonly batch: number;
  readonly groups: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly output: vg.Triple;
  /** Whether both sides of an axis must be padded alike. */
  readonly evenPadding: boolean;
  readonly kernels: readonly string[];
}

export const NO_LIMITS: Limits = {
  batch: Number.POSITIVE_INFINITY,
  groups: Number.POSITIVE_INFINITY,
  inChannels: Number.POSITIVE_INFINITY,
  outChannels: Number.POSITIVE_INFINITY,
  output: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  evenPadding: false,
  kernels: ['convForward', 'convBackward', 'convWeight'],
};

const NAMES = ['depth', 'height', 'width'];

function refusals(kernel: vg.ConvKernelName, g: vg.ConvGeometry, limits: Limits): vg.Refusal[] {
  if (!limits.kernels.includes(kernel)) return [vg.missingKernel(kernel)];
  const found: vg.Refusal[] = [];
  const bound = (check: string, size: number, most: number) => {
    if (size > most)
      found.push({
        check,
        message: `${check} ${size} is over ${most}`,
        code: 'E9',
        needBytes: size,
        limitBytes: most,
      });
  };
  bound('batch', g.batch, limits.batch);
  bound('groups', g.groups, limits.groups);
  bound('channels in', g.inChannels, limits.inChannels);
  bound('channels out', g.outChannels, limits.outChannels);
  for (const a of vg.AXES) bound(NAMES[a], g.output[a], limits.output[a]);
  if (limits.evenPadding && g.padding.some(([lo, hi]) => lo !== hi))
    found.push({ check: 'padding', message: 'padding must be even' });
  return found;
}

const { convForward, convBackward } = vg.cpuKernels;

export interface LimitedDevice extends vg.Device {
  /** The geometries of the kernel calls so far. */
  readonly calls: { readonly kernel: vg.ConvKernelName; readonly geometry: vg.ConvGeometry }[];
}

export function limitedDevice(limits: Limits): LimitedDevice {
  const calls: LimitedDevice['calls'] = [];
  const checked = (kernel: vg.ConvKernelName, geometry: vg.ConvGeometry) => {
    const [first] = refusals(kernel, geometry, limits);
    if (first) throw new Error(`${kernel} was called unasked: ${first.message}`);
    calls.push({ kernel, geometry });
  };
  if (!convForward || !convBackward) throw new Error('the reference has all kernels');
  const device = new vg.Device(
    'limited',
    'limited',
    {
      ...vg.cpu.capabilities,
      checkConv: (kernel, { geometry }) => refusals(kernel, geometry, limits),
    },
    {
      ...vg.cpuKernels,
      convForward: (x, w, g, bias) => {
        checked('convForward', g);
        return convForward(x, w, g, bias);
      },
      convBackward: (gradOutput, x, w, g, needs) => {
        checked('convBackward', g);
        return convBackward(gradOutput, x, w, g, needs);
      },
      convWeight: (x, gradOutput, g) => {
        checked('convWeight', g);
        const [, dw] = convBackward(gradOutput, x, null, g, [false, true, false]);
        if (!dw) throw new Error('no weight gradient');
        return dw;
      },
    },
  );
  return Object.assign(device, { calls });
}
