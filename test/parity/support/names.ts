// The names of torch.nn and torch.nn.functional, which of them voxgrad has, and why it lacks others.

import * as vg from 'voxgrad';
import { readJson } from '../../../packages/core/test/fixtures.js';
import { cases } from './cases.js';

/** Why a name is left out. The first pattern that fits counts. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^Lazy|^Uninitialized/, 'shapes are given when a module is made'],
  [/^(RNN|LSTM|GRU)/, 'recurrent networks are not part of voxgrad'],
  [/^Transformer/, 'a whole architecture; MultiheadAttention and LayerNorm are here to build it'],
  [/^(DataParallel|SyncBatchNorm)$/, 'one process drives one device'],
  [/^Container$/, 'a deprecated name of Module in PyTorch'],
  [/^NLLLoss2d$/, 'a deprecated name of NLLLoss in PyTorch'],
  [/^CrossMapLRN2d$/, "Caffe's variant of LocalResponseNorm, undocumented in PyTorch"],
  [/^upsample/, 'deprecated in PyTorch: interpolate'],
  [/^conv_tbc$/, 'a layout (time, batch, channel) of one other project'],
  [/^multi_head_attention_forward$/, 'the inside of nn.MultiheadAttention'],
  [/^fractional_max_pool|^FractionalMaxPool/, 'random windows, rarely used'],
  [/^AdaptiveLogSoftmaxWithLoss$/, 'for vocabularies of language models'],
  [/_$/, 'an in-place form; the function without the underscore is here'],
];

export interface Namespace {
  readonly title: string;
  /** Names that voxgrad lacks. */
  readonly absent: readonly { readonly name: string; readonly reason: string }[];
  /** Names that voxgrad has, but that no row compares. */
  readonly uncompared: readonly string[];
}

const camel = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const compared = new Set(cases.map((c) => c.path));

function namespace(
  title: string,
  prefix: string,
  ours: object,
  torch: readonly string[],
): Namespace {
  const named = torch.map((name) => ({ name, path: prefix === 'F' ? camel(name) : name }));
  return {
    title,
    absent: named
      .filter(({ path }) => !(path in ours))
      .map(({ name }) => ({
        name,
        reason: REASONS.find(([pattern]) => pattern.test(name))?.[1] ?? '',
      })),
    uncompared: named
      .filter(({ path }) => path in ours && !compared.has(`${prefix}.${path}`))
      .map(({ path }) => path),
  };
}

const names = readJson<{ nn: string[]; functional: string[] }>('torch_names');

export const namespaces: readonly Namespace[] = [
  namespace('torch.nn', 'nn', vg.nn, names.nn),
  namespace('torch.nn.functional', 'F', vg.F, names.functional),
];
