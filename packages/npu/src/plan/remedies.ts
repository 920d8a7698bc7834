// What would make a refused layer run natively, tried out check by check.

import {
  type ConvCall,
  type ConvGeometry,
  convOutputSize,
  type DType,
  mapTriple,
  type Pair,
  type Triple,
} from '@voxgrad/core';
import { CONV_DTYPES } from '../checks/dtypes.js';
import { forwardL1 } from '../checks/forward.js';
import { inputGradientL1 } from '../checks/input-gradient.js';
import { weightGradientL1 } from '../checks/weight-gradient.js';
import { givenIn, type NpuProfile, profileOf } from '../profile/profile.js';
import { GENERATIONS } from '../profile/releases.js';
import { SOC_FAMILIES } from '../profile/socs.js';
import { CANN_ERAS } from '../profile/versions.js';
import type { CheckedLayer } from './layer.js';
import { type PlanCheck, runsNatively } from './native.js';

/** Each entry alone makes every pass of the layer run natively; what is empty or null does not help. */
export interface Remedies {
  /** Largest width of the input, all else alike. */
  readonly width: number | null;
  /** Another order of the axes of the volume, as positions: `[0, 2, 1]` exchanges height and width. */
  readonly axes: Triple | null;
  readonly dtypes: readonly DType[];
  /** CANN versions, newest first. */
  readonly cann: readonly string[];
  /** Releases of torch_npu for the same PyTorch, under this CANN. */
  readonly torchNpu: readonly string[];
  /** Families of chips. */
  readonly families: readonly string[];
  /** Tensors in their usual formats (`npu_format_cast(x, 30)`). */
  readonly usualFormats: boolean;
  /** `allow_internal_format = False` and `jit_compile = False`. */
  readonly switchesOff: boolean;
  /** An input that does (true) or does not (false) ask for its gradient; null where that is no help. */
  readonly inputGradient: boolean | null;
}

/** Profiles that differ from one in a single respect; made once for all layers. */
export interface Alternatives {
  readonly cann: readonly (readonly [name: string, profile: NpuProfile])[];
  readonly torchNpu: readonly (readonly [name: string, profile: NpuProfile])[];
  readonly families: readonly (readonly [name: string, profile: NpuProfile])[];
  readonly switchesOff: NpuProfile | null;
}

/** Profiles that cannot be (a switch that a chip rejects) are left out. */
function attempt(name: string, make: () => NpuProfile): (readonly [string, NpuProfile])[] {
  try {
    return [[name, make()]];
  } catch {
    return [];
  }
}

export function alternativesOf(profile: NpuProfile): Alternatives {
  const { soc, ...options } = givenIn(profile);
  const versions = CANN_ERAS.flatMap((era) => era.versions);
  const families = SOC_FAMILIES.filter(
    ({ backward, family, inferred }) =>
      !inferred &&
      (backward === 'arch22' || backward === 'arch35') &&
      family !== profile.soc.family,
  );
  const { torch, version } = profile.release;
  const releases = GENERATIONS.flatMap(({ releases }) =>
    Object.keys(releases).filter((release) => torch !== null && releases[release] === torch),
  );
  return {
    cann: versions
      .filter((cann) => cann !== options.cann)
      .flatMap((cann) => attempt(cann, () => profileOf(soc, { ...options, cann }))),
    torchNpu: [...new Set(releases)]
      .filter((torchNpu) => torchNpu !== version)
      .flatMap((torchNpu) => attempt(torchNpu, () => profileOf(soc, { ...options, torchNpu }))),
    families: families.flatMap(({ family, names: [name] }) =>
      attempt(family, () => profileOf(name, options)),
    ),
    switchesOff:
      profile.allowInternalFormat.on || profile.jitCompile.on
        ? profileOf(soc, { ...options, allowInternalFormat: false, jitCompile: false })
        : null,
  };
}

const withGeometry = (layer: CheckedLayer, geometry: ConvGeometry): CheckedLayer => ({
  ...layer,
  call: { ...layer.call, geometry },
});

/** The same convolution over rows of `width`; null where the kernel would not fit. */
function withWidth({ call, transposed }: CheckedLayer, width: number): ConvGeometry | null {
  const { geometry: g } = call;
  const resized = (triple: Triple, size: number): Triple => [triple[0], triple[1], size];
  if (transposed) {
    const kept = g.input[2] - (g.output[2] - 1) * g.stride[2];
    const input = (width - 1) * g.stride[2] + kept;
    return input < 1
      ? null
      : { ...g, input: resized(g.input, input), output: resized(g.output, width) };
  }
  const out = convOutputSize(width, g.kernel[2], g.stride[2], g.padding[2], g.dilation[2]);
  return out < 1 ? null : { ...g, input: resized(g.input, width), output: resized(g.output, out) };
}

/** A quick look at L1 before the checks with their texts. */
function fitsL1({ needs, dtype }: ConvCall, g: ConvGeometry, { soc }: NpuProfile): boolean {
  if (forwardL1(g) > soc.l1) return false;
  if (needs[0] && soc.backward === 'arch22' && inputGradientL1(g, dtype).total > soc.l1)
    return false;
  return !needs[1] || weightGradientL1(g, dtype).total <= soc.l1;
}

/**
 * The largest width below the layer's own that runs. Not found by halving: a width whose outputs fill
 * whole blocks of 16 can pass where a narrower one does not.
 */
function largestWidth(layer: CheckedLayer, profile: NpuProfile): number | null {
  const { geometry: g } = layer.call;
  const own = layer.transposed ? g.output[2] : g.input[2];
  for (let width = own - 1; width > 0; width--) {
    const narrower = withWidth(layer, width);
    if (narrower === null) return null;
    const isCandidate = layer.transposed || fitsL1(layer.call, narrower, profile);
    if (isCandidate && runsNatively(withGeometry(layer, narrower), profile)) return width;
  }
  return null;
}

const ORDERS: readonly Triple[] = [
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

function reordered(g: ConvGeometry, order: Triple): ConvGeometry {
  const of = <T>(triple: readonly T[]) => mapTriple((a) => triple[order[a]]);
  return {
    ...g,
    input: of(g.input),
    kernel: of(g.kernel),
    output: of(g.output),
    stride: of(g.stride),
    padding: of<Pair>(g.padding),
    dilation: of(g.dilation),
  };
}

/** What helps a layer that `checks` refuse. */
export function remediesFor(
  layer: CheckedLayer,
  checks: readonly PlanCheck[],
  profile: NpuProfile,
  alternatives: Alternatives,
): Remedies {
  const { call } = layer;
  const broken = checks.filter(({ ok }) => !ok);
  const isAboutSize = broken.every(({ check }) => check === 'L1' || check === 'width');
  const runs = (change: Partial<ConvCall>, on: NpuProfile = profile) =>
    runsNatively({ ...layer, call: { ...call, ...change } }, on);
  const names = (list: readonly (readonly [string, NpuProfile])[]) =>
    list.flatMap(([name, other]) => (runs({}, other) ? [name] : []));
  const [input, weight, bias] = call.needs;
  return {
    width: isAboutSize ? largestWidth(layer, profile) : null,
    axes:
      (isAboutSize &&
        call.geometry.spatialRank === 3 &&
        ORDERS.find((order) => runs({ geometry: reordered(call.geometry, order) }))) ||
      null,
    dtypes: CONV_DTYPES.filter((dtype) => dtype !== call.dtype && runs({ dtype })),
    // L1 is the chip's, under every version of the software.
    cann: isAboutSize ? [] : names(alternatives.cann),
    torchNpu: isAboutSize ? [] : names(alternatives.torchNpu),
    families: names(alternatives.families),
    usualFormats: call.formats !== undefined && runs({ formats: undefined }),
    switchesOff: alternatives.switchesOff !== null && runs({}, alternatives.switchesOff),
    inputGradient: runs({ needs: [!input, weight, bias] }) ? !input : null,
  };
}
