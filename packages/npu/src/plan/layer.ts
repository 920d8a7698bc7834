// What a plan is asked about: convolutions by name.

import {
  argumentError,
  type ConvCall,
  type ConvFormats,
  checkDType,
  checkOptions,
  convGeometry,
  convTransposeGeometry,
  type DType,
  describe,
  type Needs,
  type OptionTable,
  type Padding,
  type SpatialRank,
} from '@voxgrad/core';
import { findFormat } from '../formats/formats.js';

/** One convolution, with PyTorch's names for its parameters. */
export interface ConvDescription {
  /** `[N, Ci, ...spatial]` */
  readonly input: readonly number[];
  /** `[Co, Ci / groups, ...kernel]`; of a transposed convolution `[Ci, Co / groups, ...kernel]`. */
  readonly weight: readonly number[];
  readonly stride?: number | readonly number[];
  readonly padding?: Padding;
  readonly dilation?: number | readonly number[];
  readonly groups?: number;
  readonly transposed?: boolean;
  readonly outputPadding?: number | readonly number[];
  readonly bias?: boolean;
  readonly dtype?: DType;
  /** Which gradients a training step asks for; all of them if omitted. */
  readonly needs?: Needs;
  /** Storage formats that are not the usual ones, such as `{ input: 'ND' }`. */
  readonly formats?: ConvFormats;
}

export interface PlanLayer extends ConvDescription {
  /** Dotted path in the model; `conv` if omitted. */
  readonly name?: string;
}

/** A layer whose sizes fit together. */
export interface CheckedLayer {
  readonly name: string;
  readonly description: ConvDescription;
  /**
   * The forward convolution; for a transposed one, the convolution whose adjoint it is, with `needs`
   * in the order of the user's input, weight and bias.
   */
  readonly call: ConvCall;
  readonly transposed: boolean;
}

/**
 * @param dtype of layers that do not name one
 * @throws VoxgradError naming the layer, in PyTorch's words where sizes do not fit
 */
export function checkLayer(layer: PlanLayer, dtype: DType): CheckedLayer {
  if (typeof layer !== 'object' || layer === null)
    throw argumentError(
      `expected a convolution { input, weight, stride, padding, … }, but got ${describe(layer)}`,
    );
  const name = layer.name ?? 'conv';
  try {
    return {
      name,
      description: layer,
      call: callOf(layer, dtype),
      transposed: layer.transposed ?? false,
    };
  } catch (error) {
    throw argumentError(
      `layer ${JSON.stringify(name)}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

const FORMATS: OptionTable<ConvFormats> = { input: true, weight: true, gradOutput: true };

/** The formats by their names, those given as ids too. */
function formatsOf(formats: ConvFormats): ConvFormats {
  checkOptions('formats', formats, FORMATS);
  const known = Object.entries(formats).filter(([, format]) => format !== undefined);
  return Object.fromEntries(
    known.map(([name, format]) => [name, findFormat(format, `the format of ${name}`)]),
  );
}

const isShape = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);

function callOf(conv: ConvDescription, dtype: DType): ConvCall {
  const { input, weight, transposed, bias = false } = conv;
  for (const [what, shape] of Object.entries({ input, weight }))
    if (!isShape(shape))
      throw argumentError(
        `expected the ${what}'s sizes as whole numbers, but got ${describe(shape)}`,
      );
  const rank = weight.length - 2;
  if (rank < 1 || rank > 3)
    throw argumentError(`expected a weight of 3, 4 or 5 dims, but got ${describe(weight)}`);
  const geometry = transposed
    ? convTransposeGeometry(`conv_transpose${rank}d`, rank as SpatialRank, input, weight, null, {
        ...conv,
        padding: conv.padding as number | readonly number[] | undefined,
      })
    : convGeometry(`conv${rank}d`, rank as SpatialRank, input, weight, null, conv);
  return {
    geometry,
    dtype: checkDType(conv.dtype ?? dtype),
    bias,
    needs: conv.needs ?? [true, true, bias],
    ...(conv.formats && { formats: formatsOf(conv.formats) }),
  };
}
