// The cases of test/fixtures/convolution.* and how one is run.

import * as vg from '../../src/index.js';
import { type FixtureTensor, readJson, readSafetensors } from '../fixtures.js';
import { defined } from './numbers.js';

const FUNCTIONS = {
  conv1d: vg.conv1d,
  conv2d: vg.conv2d,
  conv3d: vg.conv3d,
  convTranspose1d: vg.convTranspose1d,
  convTranspose2d: vg.convTranspose2d,
  convTranspose3d: vg.convTranspose3d,
};

export interface ConvolutionCase {
  readonly name: string;
  readonly op: keyof typeof FUNCTIONS;
  readonly input: number[];
  readonly weight: number[];
  readonly bias: boolean;
  readonly options: Record<string, unknown> & { padding?: vg.Padding; paddingMode?: vg.PadMode };
}

export const convolutionCases = readJson<{ cases: ConvolutionCase[] }>('convolution').cases;

const tensors = readSafetensors('convolution');

/** A fixture's tensor in its own dtype, on the cpu. */
export const fromFixture = ({ data, dtype, shape }: FixtureTensor): vg.Tensor =>
  vg.fromHost(data, dtype, shape, { device: 'cpu' });

/** Where a case is computed. */
export interface Place {
  readonly device: vg.Device;
  readonly dtype: vg.DType;
}

const REFERENCE: Place = { device: vg.cpu, dtype: 'float64' };

/** The tensors of one case; `given` are copies at `place`, `expected` stay float64 on the cpu. */
export class CaseTensors {
  constructor(
    readonly name: string,
    readonly place: Place = REFERENCE,
  ) {}

  has(key: string): boolean {
    return tensors.has(`${this.name}/${key}`);
  }

  expected(key: string): vg.Tensor {
    return fromFixture(defined(tensors.get(`${this.name}/${key}`), `${this.name}/${key}`));
  }

  given(key: string): vg.Tensor {
    return this.expected(key).to(this.place.dtype).to(this.place.device);
  }
}

/** The call of a case, with padding modes as a pad before it, as PyTorch's modules do. */
export function runCase(
  c: ConvolutionCase,
  x: vg.Tensor,
  w: vg.Tensor,
  b: vg.Tensor | null,
  backward?: string,
): vg.Tensor {
  const { paddingMode: mode, padding = 0, ...rest } = c.options;
  const convolve = FUNCTIONS[c.op] as typeof vg.conv3d;
  if (mode === undefined) return convolve(x, w, b, { padding, ...rest, backward });
  const kernel = w.shape.slice(2);
  const axes = kernel.map(() => 1);
  const dilation = vg.perAxis((rest.dilation as number) ?? 1, kernel.length, 'dilation', c.op);
  const pairs = vg.normalizePadding(c.op, kernel.length, kernel, axes, dilation, padding);
  return convolve(vg.pad(x, [...pairs].reverse().flat(), { mode }), w, b, { ...rest, backward });
}

export interface CaseResults {
  readonly output: vg.Tensor;
  /** By the fixture's key: gradInput, gradWeight, gradBias. */
  readonly first: ReadonlyMap<string, vg.Tensor>;
  /** secondGradOutput, secondInput, secondWeight. */
  readonly second: ReadonlyMap<string, vg.Tensor>;
}

const FIRST = [
  ['gradInput', 'vInput'],
  ['gradWeight', 'vWeight'],
  ['gradBias', 'vBias'],
] as const;

const byKey = (keys: readonly string[], gradients: readonly (vg.Tensor | null)[]) =>
  new Map(keys.map((key, i) => [key, defined(gradients[i], key)]));

/** Output, gradients and second-order products of a case; see test/oracle/README.md. */
export function computeCase(c: ConvolutionCase, place?: Place, backward?: string): CaseResults {
  const from = new CaseTensors(c.name, place);
  const x = from.given('input').requiresGrad_();
  const w = from.given('weight').requiresGrad_();
  const b = from.has('bias') ? from.given('bias').requiresGrad_() : null;
  const g = from.given('gradOutput').requiresGrad_();
  const output = runCase(c, x, w, b, backward);
  const inputs = b ? [x, w, b] : [x, w];
  const gradients = vg.grad(output, inputs, { gradOutputs: g, createGraph: true });
  const products = gradients.map((gradient, i) =>
    defined(gradient).mul(from.given(FIRST[i][1])).sum(),
  );
  const total = products.reduce((sum, product) => sum.add(product));
  const first = FIRST.slice(0, inputs.length).map(([key]) => key);
  return {
    output,
    first: byKey(first, gradients),
    second: byKey(['secondGradOutput', 'secondInput', 'secondWeight'], vg.grad(total, [g, x, w])),
  };
}
