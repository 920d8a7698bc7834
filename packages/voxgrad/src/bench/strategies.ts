// What a suite measures a pattern with: the strategies that run it on a device, and which of them is
// the native one.

import {
  type ConvCall,
  type ConvCallLike,
  type ConvGeometry,
  convGeometry,
  type Device,
  type DType,
  type StrategyInfo,
  strategies,
} from '@voxgrad/core';
import { describePattern, type Pattern } from './patterns.js';

/** What stands in the place of a time where the native backward is refused. */
export const CRASH = 'nativeCRASH';

export interface Choices {
  /** What the registry chooses; null where it has nothing. */
  readonly chosen: string | null;
  /** The device's own single backward call; by the direct algorithm where there are several. */
  readonly native: string | null;
  readonly nativeRefusal: string | null;
  /** All that run. */
  readonly runnable: readonly string[];
}

const isFused = ({ kind }: StrategyInfo) => kind === 'fused';

/** The fused backward by the one algorithm that takes every call, or the only fused one. */
function nativeName(device: Device): string | undefined {
  const fused = strategies.list('conv3d', device).filter(isFused);
  return (fused.find(({ name }) => name === 'fused:direct') ?? fused[0])?.name;
}

export function geometryOf(pattern: Pattern): ConvGeometry {
  const { input, weight, ...options } = describePattern(pattern);
  return convGeometry('conv3d', 3, input, weight, null, options);
}

/** Whether the device's fused kernels take the direct algorithm by themselves, so that both are one. */
function isDirect(pattern: Pattern, dtype: DType, { capabilities }: Device): boolean {
  const needs = [true, true, false] as const;
  const call: ConvCall = { geometry: geometryOf(pattern), dtype, bias: false, needs };
  const { convAlgorithms } = capabilities;
  const taken = (['convForward', 'convBackward'] as const).flatMap(
    (kernel) => convAlgorithms?.usual(kernel, call) ?? [],
  );
  return taken.every((algorithm) => algorithm === 'direct');
}

export const callOf = (pattern: Pattern, dtype: DType): ConvCallLike => ({
  ...describePattern(pattern),
  ...{ dtype, bias: false, needs: [true, true, false] as const },
});

export function choicesFor(pattern: Pattern, dtype: DType, device: Device): Choices {
  const { chosen, considered } = strategies.explain('conv3d', callOf(pattern, dtype), device);
  const name = nativeName(device);
  const native = considered.find((c) => c.name === name);
  const isChosen = chosen === 'fused' && isDirect(pattern, dtype, device);
  return {
    chosen,
    native: native?.ok ? (isChosen ? chosen : native.name) : null,
    nativeRefusal: native?.ok
      ? null
      : (native?.reasons.join('; ') ?? 'the device has no fused backward'),
    runnable: considered.filter(({ ok }) => ok).map((c) => c.name),
  };
}
