// A module's convolutions as data, for `plan`: found by running the module on a device that computes
// sizes alone.

import {
  AXES,
  argumentError,
  type ConvGeometry,
  checkOptions,
  type DType,
  defaultGenerator,
  describe,
  type OptionTable,
  type Recorder,
  recordedBy,
  type SpatialRank,
  type Tensor,
  transposedOutputSize,
  withDevice,
  zeros,
} from '@voxgrad/core';
import { Module, Parameter } from '@voxgrad/nn';
import type { ModelDescription, ModelLayer } from '@voxgrad/npu';
import { sizesDevice } from './sizes-device.js';

export interface DescribeModelOptions {
  /** Of the input; float32 if omitted. */
  readonly dtype?: DType;
  /** Whether the input wants a gradient itself. A first layer needs none of it, and is cheaper so. */
  readonly inputRequiresGrad?: boolean;
}

const OPTIONS: OptionTable<DescribeModelOptions> = { dtype: true, inputRequiresGrad: true };

/**
 * The convolutions that `model` runs for an input of `inputShape`, as JSON that `plan` and
 * `voxgrad plan --model` take. Nothing is computed but sizes, so volumes may be as large as they like;
 * the module is left as it was.
 * @param inputShape `[N, C, ...spatial]`, or a list of shapes for a module of several inputs
 * @throws VoxgradError for a module whose way depends on the values of tensors
 */
export function describeModel(
  model: Module,
  inputShape: readonly number[] | readonly (readonly number[])[],
  options: DescribeModelOptions = {},
): ModelDescription {
  checkOptions('describeModel', options, OPTIONS);
  if (!(model instanceof Module))
    throw argumentError(`describeModel(): expected a Module, but got ${describe(model)}`);
  const shapes = shapesOf(inputShape);
  const { dtype = 'float32', inputRequiresGrad = false } = options;
  const layers = withSizesOnly(model, () => {
    const inputs = shapes.map((shape) =>
      zeros([...shape], { dtype, device: sizesDevice, requiresGrad: inputRequiresGrad }),
    );
    return convolutionsOf(model, inputs);
  });
  return { name: model.constructor.name, input: shapes[0], dtype, layers };
}

function shapesOf(inputShape: unknown): readonly (readonly number[])[] {
  const list: readonly unknown[] =
    Array.isArray(inputShape) && Array.isArray(inputShape[0]) ? inputShape : [inputShape];
  return list.map((shape) => {
    if (
      Array.isArray(shape) &&
      shape.length > 0 &&
      shape.every((n) => Number.isSafeInteger(n) && n >= 0)
    )
      return shape;
    throw argumentError(
      `describeModel(): expected the sizes of an input, such as [1, 1, 64, 64, 64], but got ${describe(shape)}`,
    );
  });
}

/** Runs `fn` with tensors of sizes alone in the place of the module's own, and in evaluation mode. */
function withSizesOnly<T>(model: Module, fn: () => T): T {
  const undo: (() => void)[] = [];
  const generator = defaultGenerator();
  const drawn = generator.getState();
  undo.push(() => generator.setState(drawn));
  const replaced = new Map<Tensor, Tensor>();
  const blank = (x: Tensor): Tensor => {
    const empty = zeros([...x.shape], { dtype: x.dtype, device: sizesDevice });
    const known =
      replaced.get(x) ??
      (x instanceof Parameter ? new Parameter(empty, { requiresGrad: x.requiresGrad }) : empty);
    replaced.set(x, known);
    return known;
  };
  try {
    for (const module of model.modules()) {
      const { training } = module;
      undo.push(() => {
        module.training = training;
      });
      module.training = false; // dropout draws nothing, running statistics stay
      for (const { property, value } of [...module.ownParameters(), ...module.ownBuffers()]) {
        undo.push(() => module.replaceMember(property, value));
        module.replaceMember(property, blank(value));
      }
    }
    return withDevice(sizesDevice, fn);
  } finally {
    for (const step of undo.reverse()) step();
  }
}

/** What the operations of a convolution are recorded with. */
interface Settings {
  readonly geometry: ConvGeometry;
  readonly op?: string;
}

class ConvolutionRecorder implements Recorder {
  readonly layers: ModelLayer[] = [];
  readonly #path: string[] = [''];
  readonly #uses = new Map<string, number>();

  operation(name: string, inputs: readonly Tensor[], options: unknown): void {
    if (name === 'convolution') this.#add(options as Settings, inputs, { transposed: false });
    if (name === 'convolutionBackward')
      this.#add(options as Settings, inputs, { transposed: true });
  }

  written(): void {}

  call(_name: string, _args: readonly unknown[], run: () => unknown): unknown {
    return run();
  }

  enter(path: string): void {
    this.#path.push(path);
  }

  leave(): void {
    this.#path.pop();
  }

  /** A module that runs twice gives two layers. */
  #name(): string {
    const path = this.#path[this.#path.length - 1] || 'model';
    const uses = (this.#uses.get(path) ?? 0) + 1;
    this.#uses.set(path, uses);
    return uses === 1 ? path : `${path}#${uses}`;
  }

  #add(
    { geometry: g }: Settings,
    [x, weight, bias]: readonly Tensor[],
    { transposed }: { transposed: boolean },
  ): void {
    const own = <T>(triple: readonly T[]): T[] => triple.slice(3 - g.spatialRank);
    const symmetric = g.padding.every(([lo, hi]) => lo === hi);
    const [from, to] = transposed ? [g.outChannels, g.inChannels] : [g.inChannels, g.outChannels];
    this.layers.push({
      name: this.#name(),
      type: typeOf(g.spatialRank, transposed),
      input: [g.batch, from, ...own(transposed ? g.output : g.input)],
      inChannels: from,
      outChannels: to,
      kernelSize: own(g.kernel),
      stride: own(g.stride),
      padding: symmetric ? own(g.padding.map(([lo]) => lo)) : own(g.padding),
      dilation: own(g.dilation),
      ...(transposed && { outputPadding: own(outputPadding(g)) }),
      groups: g.groups,
      // That of a transposed convolution is an addition of its own.
      ...(!transposed && { bias: bias !== undefined }),
      dtype: x.dtype,
      needs: [x.requiresGrad, weight.requiresGrad, bias?.requiresGrad ?? false],
    });
  }
}

const typeOf = (rank: SpatialRank, transposed: boolean) =>
  `Conv${transposed ? 'Transpose' : ''}${rank}d`;

/** What the output of a transposed convolution has beyond the least, per axis. */
const outputPadding = (g: ConvGeometry): number[] =>
  AXES.map(
    (a) =>
      g.input[a] -
      transposedOutputSize(g.output[a], g.kernel[a], g.stride[a], g.padding[a], g.dilation[a]),
  );

/** Runs the module and notes its convolutions with the dotted paths of the modules that ran them. */
function convolutionsOf(model: Module, inputs: readonly Tensor[]): ModelLayer[] {
  const recorder = new ConvolutionRecorder();
  const hooks = model
    .namedModules()
    .flatMap(([path, module]) => [
      module.registerForwardPreHook(() => recorder.enter(path)),
      module.registerForwardHook(() => recorder.leave()),
    ]);
  try {
    const run = model as Module & { forward(...args: readonly Tensor[]): unknown };
    recordedBy(recorder, () => run.call(...inputs));
  } finally {
    for (const hook of hooks) hook.remove();
  }
  return recorder.layers;
}
