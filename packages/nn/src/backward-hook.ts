// Full backward hooks: the gradients of all inputs and all outputs of a module at once. One
// identity operation joins its input tensors, another its output tensors; their derivative rules
// see the gradients together.

import { argumentError, defineMultiOp, describe, type Gradients, Tensor } from '@voxgrad/core';
import type { Module } from './module.js';

/** One entry per argument or result; null for what carries no gradient. */
export type BackwardHook = (
  module: Module,
  gradInput: readonly (Tensor | null)[],
  gradOutput: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | void;

const watch = defineMultiOp<(gradients: Gradients) => Gradients>({
  name: 'backwardHook',
  forward: (tensors) => tensors.map((tensor) => tensor.alias()),
  backward: (gradients, { options: tell }) => tell(gradients),
});

/**
 * `values` with the tensors that require gradients passed through `watch`; undefined where none
 * does. `tell` gets one gradient per value and returns as many.
 */
function watched(values: readonly unknown[], tell: (g: Gradients) => Gradients) {
  const places = values.flatMap((value, i) =>
    value instanceof Tensor && value.requiresGrad ? [i] : [],
  );
  if (places.length === 0) return undefined;
  const spread = <T>(part: readonly T[], rest: readonly T[]): T[] => {
    const all = [...rest];
    places.forEach((place, i) => {
      all[place] = part[i];
    });
    return all;
  };
  const tensors = watch(
    places.map((place) => values[place] as Tensor),
    (gradients) => {
      const told = tell(
        spread(
          gradients,
          values.map(() => null),
        ),
      );
      return places.map((place) => told[place]);
    },
  );
  return spread<unknown>(tensors, values);
}

/** Runs `forward` so that `hooks` see the gradients of this call. */
export function withBackwardHooks(
  module: Module,
  hooks: readonly BackwardHook[],
  inputs: readonly unknown[],
  forward: (inputs: readonly unknown[]) => unknown,
): unknown {
  let gradOutput: Gradients = [];
  const args = watched(inputs, (gradients) =>
    hooks.reduce<Gradients>((gradInput, hook) => {
      const changed = hook(module, gradInput, gradOutput) ?? gradInput;
      if (changed.length !== gradInput.length)
        throw argumentError(
          `Backward hook returned an invalid number of grad_input, got ${changed.length}, but expected ${gradInput.length}`,
        );
      return [...changed];
    }, gradients),
  );
  const output = forward(args ?? inputs);
  const single = output instanceof Tensor;
  if (!single && !Array.isArray(output))
    throw argumentError(
      `For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received ${describe(output)}`,
    );
  const results = watched(single ? [output] : output, (gradients) => {
    gradOutput = gradients;
    if (!args) runWithoutInputs(module, hooks, inputs, gradOutput);
    return gradients;
  });
  if (!results) return output;
  return single ? results[0] : results;
}

/** No input carries a gradient: the hooks may look, but have nothing to change. */
function runWithoutInputs(
  module: Module,
  hooks: readonly BackwardHook[],
  inputs: readonly unknown[],
  gradOutput: Gradients,
): void {
  const nothing = inputs.map(() => null);
  for (const hook of hooks)
    if (hook(module, nothing, gradOutput)?.some((gradient) => gradient !== null))
      throw argumentError(
        'Backward hook for Modules where no input requires gradient should always return None or None for all gradients.',
      );
}
