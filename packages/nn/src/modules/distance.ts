import { checkArguments, checkOptions, type Tensor } from '@voxgrad/core';
import { Module } from '../module.js';
import { COSINE_SIMILARITY, PAIRWISE_DISTANCE } from '../option-tables.js';
import {
  type CosineSimilarityOptions,
  cosineSimilarity,
  type PairwiseDistanceOptions,
  pairwiseDistance,
} from '../similarity.js';

/** Cosine of two tensors along a dim; see `F.cosineSimilarity`. */
export class CosineSimilarity extends Module {
  static readonly keepsNothing = true;
  constructor(
    readonly options: CosineSimilarityOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, COSINE_SIMILARITY);
  }

  forward(a: Tensor, b: Tensor): Tensor {
    return cosineSimilarity(a, b, this.options);
  }
}

/** ‖a − b‖ₚ over the last dim; see `F.pairwiseDistance`. */
export class PairwiseDistance extends Module {
  static readonly keepsNothing = true;
  constructor(
    readonly options: PairwiseDistanceOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, PAIRWISE_DISTANCE);
  }

  forward(a: Tensor, b: Tensor): Tensor {
    return pairwiseDistance(a, b, this.options);
  }
}
