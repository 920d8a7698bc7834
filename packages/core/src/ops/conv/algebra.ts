// The convolution algebra. One trilinear form  ⟨g, conv(x, w)⟩  has three partial adjoints,
//
//   conv(x, w)          the forward convolution,
//   convInput(g, w)     its adjoint in x, which is the transposed convolution,
//   convWeight(x, g)    its adjoint in w,
//
// and each one's derivatives are the other two:
//
//   ⟨h, conv(x, w)⟩        d/dx = convInput(h, w)    d/dw = convWeight(x, h)
//   ⟨h, convInput(g, w)⟩   d/dg = conv(h, w)         d/dw = convWeight(h, g)
//   ⟨h, convWeight(x, g)⟩  d/dx = convInput(g, h)    d/dg = conv(x, h)
//
// So differentiation is closed, at every order. `convBackward` computes any of convInput,
// convWeight and the bias gradient in one call, because that is what devices offer and what
// strategies compete for. All tensors here are 5-D and carry the geometry of `geometry.ts`.

import { defineMultiOp, defineOp } from '../../autograd/op.js';
import { checkedResult } from '../../strategies/checked-result.js';
import { scopedChoice } from '../../strategies/choices.js';
import { select } from '../../strategies/registry.js';
import { runStrategy } from '../../strategies/run.js';
import type { ConvBackwardStrategy, ConvForwardStrategy } from '../../strategies/types.js';
import type { Tensor } from '../../tensor/tensor.js';
import { otherFactors } from '../binary-rule.js';
import { expand, reshape } from '../views.js';
import type { Needs } from './geometry.js';
import { type ConvGeometry, inputShape, outputShape, weightShape } from './geometry.js';

interface ConvSettings {
  readonly geometry: ConvGeometry;
  /** Strategy for the backward that the call or its module names. */
  readonly backward?: string;
  /** Strategy that a scope around the forward call named. */
  readonly recorded?: string | null;
}

const convOp = defineOp<ConvSettings>({
  name: 'convolution',
  forward: ([x, w, bias], { geometry }) => {
    const call = {
      geometry,
      dtype: x.dtype,
      bias: bias !== undefined,
      needs: [true, true, bias !== undefined] as const,
      formats: x.device.capabilities.convFormats?.({ input: x, weight: w }),
    };
    const strategy = select<ConvForwardStrategy>('conv3d.forward', call, x.device);
    const added = bias !== undefined && (strategy.addsBias?.(x.device.capabilities) ?? false);
    const tensors = added ? { input: x, weight: w, bias } : { input: x, weight: w };
    const result = runStrategy(strategy, call, tensors, call.needs);
    const { dtype, device } = x;
    const expected = { shape: outputShape(geometry), dtype, device };
    const y = checkedResult(strategy, 'output', result, expected);
    return bias === undefined || added ? y : y.add(alongChannels(bias));
  },
  saves: { inputs: otherFactors },
  backward: ([g], context) => {
    const { options, needs } = context;
    if (g === null) return context.inputs.map(() => null);
    const x = needs[1] ? context.input(0) : null;
    const w = needs[0] ? context.input(1) : null;
    const gradients = convBackward(g, x, w, options, [needs[0], needs[1], needs[2] ?? false]);
    return gradients.slice(0, context.inputs.length);
  },
});

const alongChannels = (bias: Tensor): Tensor => reshape(bias, 1, -1, 1, 1, 1);

const sumOf = (...terms: (Tensor | null)[]): Tensor | null =>
  terms.reduce((total, term) => (total && term ? total.add(term) : (total ?? term)), null);

interface BackwardSettings extends ConvSettings {
  readonly needs: Needs;
  /** Set where the adjoint is a user's forward call, which no choice of a backward concerns. */
  readonly op?: 'convTranspose3d.forward';
}

/** Inputs: the gradient, then x where dw is wanted, then w where dx is wanted. */
const convBackwardOp = defineMultiOp<BackwardSettings>({
  name: 'convolutionBackward',
  forward: (inputs, settings) => {
    const { geometry, needs, backward, recorded } = settings;
    const [g, x, w] = placed(inputs, needs);
    const formats = g.device.capabilities.convFormats?.({ input: x, weight: w, gradOutput: g });
    const call = { geometry, dtype: g.dtype, bias: needs[2], needs, formats };
    const forcing = settings.op ? {} : { explicit: backward, recorded };
    const strategy = select<ConvBackwardStrategy>(settings.op ?? 'conv3d', call, g.device, forcing);
    const results = runStrategy(strategy, call, { gradOutput: g, input: x, weight: w }, needs);
    return checkedGradients(strategy, results, settings, g);
  },
  saves: { inputs: [0, 1, 2] },
  backward: (cotangents, context) => {
    const { options } = context;
    const { needs, geometry } = options;
    const saved = context.inputs.map((_, i) => context.input(i));
    const [g, x, w] = placed(saved, needs);
    const [needG, needX, needW] = placed(context.needs, needs);
    const [hx, hw, hb] = spreadOut(cotangents, needs);
    const settings = { geometry, backward: options.backward, recorded: options.recorded };
    const dg = needG
      ? sumOf(
          hx && w && conv(hx, w, settings),
          hw && x && conv(x, hw, settings),
          hb && expand(alongChannels(hb), outputShape(geometry)),
        )
      : null;
    const dx = needX && hw ? convInput(g, hw, settings) : null;
    const dw = needW && hx ? convWeight(hx, g, settings) : null;
    return [dg, ...(needs[1] ? [dx] : []), ...(needs[0] ? [dw] : [])];
  },
});

/** The wanted gradients among `results`. */
function checkedGradients(
  strategy: ConvBackwardStrategy,
  results: unknown,
  { geometry, needs }: BackwardSettings,
  { dtype, device }: Tensor,
): Tensor[] {
  const shapes = [inputShape(geometry), weightShape(geometry), [geometry.outChannels]];
  const gradients = ['input', 'weight', 'bias'].map((name, i) => {
    const got = Array.isArray(results) ? results[i] : results;
    return () =>
      checkedResult(strategy, `gradient of the ${name}`, got, { shape: shapes[i], dtype, device });
  });
  return wanted(gradients, needs).map((check) => check());
}

/** Finds gradient, x and w in the list of inputs, whose length depends on what is wanted. */
function placed<T>(inputs: readonly T[], needs: Needs): [T, T | null, T | null] {
  return [inputs[0], needs[1] ? inputs[1] : null, needs[0] ? inputs[needs[1] ? 2 : 1] : null];
}

const wanted = <T>(all: readonly T[], needs: Needs): T[] => all.filter((_, i) => needs[i]);

/** The inverse of {@link wanted}. */
function spreadOut<T>(some: readonly T[], needs: Needs): (T | null)[] {
  let at = 0;
  return needs.map((need) => (need ? some[at++] : null));
}

/** Any of the three gradients of ⟨g, conv(x, w) + bias⟩; null where not wanted. */
export function convBackward(
  g: Tensor,
  x: Tensor | null,
  w: Tensor | null,
  settings: ConvSettings,
  needs: Needs,
): (Tensor | null)[] {
  if (!needs.some(Boolean)) return [null, null, null];
  const inputs = [g, ...(needs[1] && x ? [x] : []), ...(needs[0] && w ? [w] : [])];
  return spreadOut(convBackwardOp(inputs, { ...settings, needs }), needs);
}

/** x `[N, Ci, D, H, W]`, w `[Co, Ci/g, kD, kH, kW]` → `[N, Co, oD, oH, oW]` */
export function conv(x: Tensor, w: Tensor, settings: ConvSettings, bias?: Tensor | null): Tensor {
  const recorded = settings.recorded ?? scopedChoice('conv3d');
  return convOp(bias ? [x, w, bias] : [x, w], { ...settings, recorded });
}

/** The adjoint of conv in x: g `[N, Co, …]`, w → `[N, Ci, D, H, W]`. */
export function convInput(g: Tensor, w: Tensor, settings: ConvSettings): Tensor {
  return only(convBackward(g, null, w, settings, [true, false, false]));
}

/** {@link convInput} as the forward of a transposed convolution. */
export const convTransposed = (x: Tensor, w: Tensor, settings: ConvSettings): Tensor =>
  convBackwardOp([x, w], {
    ...settings,
    needs: [true, false, false],
    op: 'convTranspose3d.forward',
  })[0];

/** The adjoint of conv in w: x, g → `[Co, Ci/g, kD, kH, kW]`. */
export function convWeight(x: Tensor, g: Tensor, settings: ConvSettings): Tensor {
  return only(convBackward(g, x, null, settings, [false, true, false]));
}

function only(gradients: readonly (Tensor | null)[]): Tensor {
  const found = gradients.find((g) => g !== null);
  if (!found) throw new Error('convBackward returned no gradient');
  return found;
}
