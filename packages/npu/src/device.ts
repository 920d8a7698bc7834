// With the strategy `tiled`.
import '@voxgrad/core/methods';
import {
  type Capabilities,
  type ConvCall,
  type ConvFormats,
  type ConvKernelName,
  checkOptions,
  Device,
  type DeviceLike,
  type DType,
  getDevice,
  type Kernels,
  missingKernel,
  type Needs,
  type OptionTable,
  registerDevice,
  type Storage,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import { emulate } from './arithmetic/kernels.js';
import { type Arithmetic, type ArithmeticMode, arithmeticMode } from './arithmetic/modes.js';
import { checkConv } from './checks/conv.js';
import { isInternal } from './formats/formats.js';
import { formatOf, setStorageFormat } from './formats/storage.js';
import { type Logged, logOf } from './messages/log.js';
import { type NpuProfile, type ProfileOptions, profileOf } from './profile/profile.js';
import { backwardRoute } from './routing/route.js';
import type { StreamAttribute } from './streams/attributes.js';
import { complaintOfLaunch } from './streams/callers.js';
import { type StreamSetting, setStreamAttribute } from './streams/set.js';

export interface NpuOptions extends ProfileOptions {
  /** The device that computes; `cpu` if omitted. */
  readonly host?: DeviceLike;
  /** What precision is computed in; `exact`, the host's, if omitted. See {@link Arithmetic}. */
  readonly arithmetic?: Arithmetic;
}

const OPTIONS: OptionTable<NpuOptions> = {
  cann: true,
  torchNpu: true,
  allowInternalFormat: true,
  jitCompile: true,
  libraryPath: true,
  host: true,
  arithmetic: true,
};

/** A device that computes on another one and refuses what the NPU of its profile would refuse. */
export class NpuDevice extends Device {
  /** Attributes of the current stream by id. */
  readonly streamAttributes: ReadonlyMap<number, unknown>;
  readonly #attributes = new Map<number, unknown>();

  /** Internal: see {@link npu}. */
  constructor(
    readonly profile: NpuProfile,
    host: Device,
    readonly arithmetic: ArithmeticMode,
  ) {
    super(
      `npu:${profile.soc.name}`,
      'npu',
      capabilitiesOf(profile, host, arithmetic),
      enforced(profile, emulate(hostKernels(host), arithmetic), (line) => logOf(this).add(line)),
    );
    this.streamAttributes = this.#attributes;
  }

  /** What the stack has printed without failing, each line once. */
  get logged(): readonly Logged[] {
    return logOf(this).lines;
  }

  /**
   * Sets an attribute of the current stream. By name (`CACHE_OP_INFO`), only what the loaded runtime
   * takes is set, and the rest is left alone, with the reason in the result.
   * @throws VoxgradError with the runtime's code and text (EE1001, EE1003) for a raw id out of its range
   */
  setStreamAttribute(
    attribute: StreamAttribute | `ACL_STREAM_ATTR_${StreamAttribute}` | number,
    value: unknown,
  ): StreamSetting {
    return setStreamAttribute(this.profile, this.#attributes, attribute, value);
  }
}

/**
 * The profile of an Ascend NPU: `npu('Ascend910B1', { cann: '8.2.RC1' })` computes on its host and
 * enforces the limits of that chip under that software, with their codes, texts and sources. The
 * device is registered as `npu:<soc>`.
 * @param soc name of the chip in the platform files, such as `Ascend910B1`
 * @throws VoxgradError where the chip, a version or a release is unknown, naming the nearest
 */
export function npu(soc: string, options: NpuOptions): NpuDevice {
  checkOptions('npu', options, OPTIONS);
  const profile = profileOf(soc, options);
  const arithmetic = arithmeticMode(profile.soc, options.arithmetic);
  const device = new NpuDevice(profile, getDevice(options.host ?? 'cpu'), arithmetic);
  registerDevice(device);
  return device;
}

const HALVES: readonly DType[] = ['float16', 'bfloat16'];

/** The chips have no float64; 16-bit floats need the emulation of their arithmetic. */
function computes(host: Device, { halves }: ArithmeticMode): ReadonlySet<DType> {
  const own = [...host.capabilities.computes];
  return new Set([...own.filter((d) => d !== 'float64' && !HALVES.includes(d)), ...halves]);
}

const capabilitiesOf = (
  profile: NpuProfile,
  host: Device,
  arithmetic: ArithmeticMode,
): Capabilities => ({
  computes: computes(host, arithmetic),
  synchronous: host.capabilities.synchronous,
  profile: profile.soc.name,
  convFormats,
  checkConv: (kernel, call) => [
    ...checkConv(kernel, call, profile),
    ...checkHost(host, kernel, call),
  ],
});

/** The formats that decide something: ND, and internal ones. */
function convFormats(
  tensors: Readonly<Record<string, View | null | undefined>>,
): ConvFormats | undefined {
  const unusual = Object.entries(tensors).flatMap(([name, view]): [string, string][] => {
    const format = view ? formatOf(view) : 'NCDHW';
    return format === 'ND' || isInternal(format) ? [[name, format]] : [];
  });
  return unusual.length === 0 ? undefined : Object.fromEntries(unusual);
}

/** What keeps the host from standing in for the NPU; it computes 16-bit floats in float32. */
function checkHost(host: Device, kernel: ConvKernelName, call: ConvCall) {
  const stand = kernel === 'convWeight' && !host.kernels.convWeight ? 'convBackward' : kernel;
  if (!host.kernels[stand]) return [missingKernel(stand)];
  const dtype = HALVES.includes(call.dtype) ? 'float32' : call.dtype;
  return host.capabilities.checkConv(stand, { ...call, dtype });
}

/** The host's kernels, and its backward masked to the weight where it has no such kernel alone. */
function hostKernels(host: Device): Kernels {
  const { convWeight, convBackward } = host.kernels;
  if (convWeight || !convBackward) return { ...host.kernels };
  return {
    ...host.kernels,
    convWeight: (x, gradOutput, geometry) => {
      const [, weight] = convBackward(gradOutput, x, null, geometry, [false, true, false]);
      if (weight) return weight;
      throw new VoxgradError('DEVICE', `${host}: convBackward returned no weight gradient`);
    },
  };
}

/** Kernels whose results are as many-dimensional as their operands; others collapse axes. */
const KEEPS_DIMS: readonly string[] = [
  ...['fill', 'copy', 'assign', 'unary', 'binary', 'bitwise', 'compare', 'where', 'adamStep'],
];

/**
 * `kernels` behind the checks of the profile: strategies ask before they call, and whoever does not is
 * refused here. Results are marked with the formats in which the NPU writes them.
 */
function enforced(profile: NpuProfile, kernels: Kernels, log: (line: Logged) => void): Kernels {
  const launch = (kernel: ConvKernelName, call: ConvCall) => {
    const [refusal] = checkConv(kernel, call, profile);
    if (refusal) {
      const { code, message } = refusal;
      throw new VoxgradError(code ?? 'DEVICE', code ? `${code}: ${message}` : message);
    }
    const complaint = complaintOfLaunch(profile);
    if (complaint) log(complaint);
  };
  const all: Kernels = Object.fromEntries(
    Object.entries(kernels).map(([name, kernel]: [string, Loose | undefined]) => [
      name,
      kernel === undefined || KEEPS_DIMS.includes(name) ? kernel : markingByDims(kernel),
    ]),
  ) as unknown as Kernels;

  const { convForward, convWeight, convBackward, matmul } = all;
  all.matmul = (a, b) => {
    const product = matmul(a, b);
    // One product is a matrix for its user, whatever it is viewed as later.
    if (a.shape[0] === 1) setStorageFormat(product, 'ND');
    return product;
  };
  if (convForward)
    all.convForward = (x, weight, geometry, bias) => {
      const formats = convFormats({ input: x, weight });
      const needs: Needs = [false, false, false];
      launch('convForward', { geometry, dtype: x.dtype, bias: bias !== undefined, needs, formats });
      return convForward(x, weight, geometry, bias);
    };
  if (convWeight)
    all.convWeight = (x, gradOutput, geometry) => {
      const formats = convFormats({ input: x, gradOutput });
      const needs: Needs = [false, true, false];
      launch('convWeight', { geometry, dtype: x.dtype, bias: false, needs, formats });
      return convWeight(x, gradOutput, geometry);
    };
  if (convBackward)
    all.convBackward = (gradOutput, x, weight, geometry, needs) => {
      const { dtype } = gradOutput;
      const formats = convFormats({ input: x, weight, gradOutput });
      launch('convBackward', { geometry, dtype, bias: needs[2], needs, formats });
      const result = convBackward(gradOutput, x, weight, geometry, needs);
      const [dx] = result;
      const { kind } = backwardRoute(profile, geometry);
      // The graph operator leaves a float16 dx in blocks. Source: oppl.
      const blocked = kind === 'acl_op' && profile.allowInternalFormat.on && dtype === 'float16';
      if (dx && blocked && geometry.spatialRank === 3) setStorageFormat(dx, 'NDC1HWC0');
      return result;
    };
  return all;
}

type Loose = (...args: readonly unknown[]) => unknown;

function markingByDims(kernel: Loose): Loose {
  return (...args) => {
    const result = kernel(...args);
    for (const part of Array.isArray(result) ? result : [result])
      if (isStorage(part)) setStorageFormat(part, 'by dims');
    return result;
  };
}

const isStorage = (value: unknown): value is Storage =>
  typeof value === 'object' && value !== null && 'residence' in value && 'writes' in value;
