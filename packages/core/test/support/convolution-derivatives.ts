// Convolutions whose derivatives are checked: what existing frameworks got wrong, mostly; sources in
// the notes.

import * as vg from '../../src/index.js';

type Options = vg.ConvOptions & { outputPadding?: number | readonly number[]; backward?: string };

type Convolution = (
  x: vg.Tensor,
  w: vg.Tensor,
  b?: vg.Tensor | null,
  options?: Options,
) => vg.Tensor;

export interface ConvolutionRow {
  readonly op: string;
  readonly note: string;
  readonly run: Convolution;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly bias: number | null;
  readonly options: Options;
}

const rows: ConvolutionRow[] = [];

const of =
  (op: string, run: unknown) =>
  (
    note: string,
    input: readonly number[],
    weight: readonly number[],
    bias: number | null,
    options: ConvolutionRow['options'] = {},
  ) => {
    rows.push({ op, run: run as Convolution, note, input, weight, bias, options });
  };

const c1 = of('conv1d', vg.conv1d);
const c2 = of('conv2d', vg.conv2d);
const c3 = of('conv3d', vg.conv3d);
const t1 = of('convTranspose1d', vg.convTranspose1d);
const t2 = of('convTranspose2d', vg.convTranspose2d);
const t3 = of('convTranspose3d', vg.convTranspose3d);

c1('stride 3 leaves a tail', [2, 2, 8], [3, 2, 3], 3, { stride: 3 });
c1('padding pair', [1, 2, 5], [2, 2, 3], 2, { padding: [[2, 0]] });
c1('depthwise', [2, 3, 5], [3, 1, 2], null, { groups: 3, stride: 2 });
c1('empty batch', [0, 2, 5], [2, 2, 3], 2, { padding: 1 });
c1('unbatched', [2, 5], [2, 2, 3], 2, { dilation: 2 });
c2('strides 2 and 3, padding pairs', [1, 2, 5, 7], [2, 2, 3, 2], 2, {
  stride: [2, 3],
  padding: [
    [1, 0],
    [0, 2],
  ],
});
c2('groups with multiplier', [1, 2, 4, 3], [4, 1, 2, 2], 4, { groups: 2, dilation: [2, 1] });
c2("padding 'same' of an even kernel", [1, 1, 3, 4], [2, 1, 2, 4], 2, { padding: 'same' });
c2('empty batch', [0, 2, 3, 3], [2, 1, 2, 2], null, { groups: 2, stride: 2 });
c3('odd sizes', [1, 1, 3, 4, 5], [2, 1, 2, 3, 2], 2);
c3('pytorch#1972: groups', [2, 4, 3, 3, 3], [4, 2, 2, 2, 2], 4, { groups: 2 });
c3('pytorch#1972: depthwise', [2, 4, 3, 3, 3], [4, 1, 2, 2, 2], 4, { groups: 4 });
c3('pytorch#67283: unused tails', [1, 1, 5, 5, 5], [1, 1, 2, 2, 2], 1, { stride: [3, 2, 3] });
c3('pytorch#68868: stride over kernel, groups', [1, 6, 5, 3, 2], [6, 2, 2, 2, 2], 6, {
  stride: [4, 4, 1],
  padding: 1,
  groups: 3,
});
c3('pytorch#16012: mixed dilation', [1, 1, 3, 5, 7], [1, 1, 2, 2, 3], 1, { dilation: [1, 2, 3] });
c3('padding pairs, mixed stride', [1, 2, 3, 4, 3], [2, 1, 2, 3, 2], 2, {
  groups: 2,
  stride: [1, 2, 3],
  padding: [
    [1, 0],
    [0, 2],
    [2, 1],
  ],
});
c3('stride over kernel leaves input cells unread', [1, 1, 5, 4, 3], [1, 1, 1, 2, 1], 1, {
  stride: 3,
});
c3('padding over the kernel', [1, 1, 2, 1, 2], [1, 1, 1, 2, 1], null, { padding: [1, 2, 2] });
c3('empty batch', [0, 2, 3, 4, 3], [3, 2, 2, 2, 2], 3, { stride: 2, padding: 1 });
c3('unbatched', [1, 3, 2, 4], [2, 1, 2, 2, 3], 2, { padding: 1 });
t1('stride 3 with output padding', [1, 2, 3], [2, 2, 2], 2, { stride: 3, outputPadding: 2 });
t1('empty batch', [0, 2, 3], [2, 1, 2], 1, { stride: 2 });
t2('mixed', [1, 2, 2, 3], [2, 1, 3, 2], 2, {
  groups: 2,
  stride: [2, 3],
  padding: [1, 0],
  outputPadding: [1, 2],
});
t3('candle#2337: stride 2', [1, 1, 2, 3, 2], [1, 2, 2, 2, 2], 2, { stride: 2 });
t3('candle#2337: dilation 2', [1, 1, 2, 3, 2], [1, 2, 2, 2, 2], 2, { dilation: 2 });
t3('pytorch#5112: output padding below the dilation', [1, 1, 2, 2, 3], [1, 1, 2, 2, 2], 1, {
  dilation: 2,
  outputPadding: 1,
});
t3('pytorch#195043: everything', [1, 2, 2, 3, 3], [2, 1, 2, 2, 2], 2, {
  stride: [3, 2, 1],
  padding: [1, 2, 3],
  outputPadding: [2, 3, 1],
  groups: 2,
  dilation: 4,
});
t3('empty batch', [0, 2, 2, 2, 2], [2, 1, 2, 2, 2], 1, { stride: 2 });
t3('unbatched', [2, 2, 1, 2], [2, 1, 2, 1, 2], null, {
  stride: [1, 2, 3],
  outputPadding: [0, 1, 0],
});

export const convolutionDerivatives: readonly ConvolutionRow[] = rows;
