import type { AdamNumbers, AdamViews, Kernels, View } from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
import { calling, type Engine } from './engine.js';
import {
  add,
  div,
  type Expression,
  evaluate,
  input,
  maximum,
  mul,
  number,
  sub,
  unary,
} from './expression.js';
import { isSmall } from './host.js';

type Numbers = Float64Array<ArrayBuffer>;

/** Optimizer steps in one pass over a parameter and its state. */
export function optimizerSteps(engine: Engine): Required<Pick<Kernels, 'adamStep'>> {
  return {
    adamStep: (views, numbers) =>
      isSmall(engine, views.parameter)
        ? adamOnHost(views, numbers)
        : adamOnDevice(engine, views, numbers),
  };
}

function adamOnDevice(engine: Engine, views: AdamViews<View>, n: AdamNumbers): void {
  const { parameter, gradient, mean, square, largest } = views;
  const [p, g, m, v, most] = [0, 1, 2, 3, 4].map(input);
  const [beta1, rest1, beta2, rest2, eps, size, root] = [0, 1, 2, 3, 4, 5, 6].map(number);
  const newMean = add(mul(m, beta1), mul(g, rest1));
  const newSquare = add(mul(v, beta2), mul(mul(g, rest2), g));
  const divisor: Expression = largest ? maximum(most, newSquare) : newSquare;
  const denominator = add(div(unary('sqrt', divisor), root), eps);
  const step = sub(p, div(mul(newMean, size), denominator));
  const extra = largest ? [largest] : [];
  calling(engine, 'adam step', (call) => {
    evaluate(engine, call, {
      dtype: parameter.dtype as FloatDType,
      inputs: [parameter, gradient, mean, square, ...extra],
      numbers: [n.beta1, 1 - n.beta1, n.beta2, 1 - n.beta2, n.eps, n.size, n.root],
      outputs: [step, newMean, newSquare, ...(largest ? [divisor] : [])],
      targets: [parameter, mean, square, ...extra],
    });
  });
}

/** The same in a loop: a call of a kernel costs more than a small parameter. */
function adamOnHost(
  { parameter, gradient, mean, square, largest }: AdamViews<View>,
  n: AdamNumbers,
) {
  const [p, m, v] = [parameter, mean, square].map((view) => view.storage.writableArray as Numbers);
  const most = largest ? (largest.storage.writableArray as Numbers) : null;
  const g = gradient.storage.array as Numbers;
  const length = parameter.shape.reduce((product, size) => product * size, 1);
  for (let i = 0; i < length; i++) {
    const [pi, mi, vi] = [parameter.offset + i, mean.offset + i, square.offset + i];
    const gradientAt = g[gradient.offset + i];
    // Read back after writing, so that float32 rounds where the kernel does.
    m[mi] = m[mi] * n.beta1 + gradientAt * (1 - n.beta1);
    v[vi] = v[vi] * n.beta2 + gradientAt * (1 - n.beta2) * gradientAt;
    let divisor = v[vi];
    if (most && largest) {
      const at = largest.offset + i;
      most[at] = Math.max(most[at], divisor);
      divisor = most[at];
    }
    p[pi] -= (n.size * m[mi]) / (Math.sqrt(divisor) / n.root + n.eps);
  }
}
