// Functions of one number to the last digits of float64. The values were computed to 40 digits with
// mpmath.

import { describe, expect, it } from 'vitest';
import { type Tensor, tensor } from '../src/index.js';
import { numbersOf } from './support/numbers.js';

const float64 = (values: readonly number[]) => tensor([...values], { dtype: 'float64' });

type Point = readonly [x: number, y: number];

const TABLE: readonly (readonly [name: string, f: (x: Tensor) => Tensor, points: Point[]])[] = [
  [
    'erf',
    (x) => x.erf(),
    [
      [1e-300, 1.1283791670955126e-300],
      [0.3, 0.3286267594591274],
      [-0.5, -0.5204998778130465],
      [0.75, 0.7111556336535151],
      [2, 0.9953222650189527],
      [-3.3, -0.9999969422902035],
    ],
  ],
  [
    'erfc',
    (x) => x.erfc(),
    [
      [0.3, 0.6713732405408726],
      [-1.25, 1.9229001282564582],
      [2, 0.004677734981047266],
      [5.5, 7.357847917974398e-15],
      [26, 5.663192408856143e-296],
    ],
  ],
  [
    'erfinv',
    (x) => x.erfinv(),
    [
      [1e-300, 8.86226925452758e-301],
      [0.2, 0.1791434546212917],
      [-0.5, -0.4769362762044699],
      [0.999, 2.3267537655135246],
      // Newton's method has not converged here, neither in PyTorch: the true value is −4.320005388105362.
      [-0.999999999, -4.320005383710253],
    ],
  ],
  [
    'lgamma',
    (x) => x.lgamma(),
    [
      [1e-10, 23.025850929882736],
      [0.25, 1.2880225246980774],
      [1.000001, -5.772148423874147e-7],
      [1.9, -0.03898427592308336],
      [12, 17.502307845873887],
      [1e10, 220258509288.81058],
      [-3.25, -0.6231534513209986],
    ],
  ],
  [
    'digamma',
    (x) => x.digamma(),
    [
      [1e-10, -10000000000.577215],
      [0.25, -4.2274535333762655],
      [3.5, 1.103156640645243],
      [12, 2.442661679975812],
      [-3.25, 4.46627587235028],
    ],
  ],
  [
    'polygamma of order 1',
    (x) => x.polygamma(1),
    [
      [0.3, 12.245364546107732],
      [2.5, 0.49035775610023485],
      [11, 0.09516633568168574],
      [-0.25, 18.541879647671607],
    ],
  ],
  [
    'polygamma of order 5',
    (x) => x.polygamma(5),
    [
      [0.3, 164634.84609922304],
      [2.5, 0.5785691785671835],
      [11, 0.0001859451621172682],
    ],
  ],
  [
    'asinh',
    (x) => x.asinh(),
    [
      [1e-10, 1e-10],
      [0.3, 0.29567304756342244],
      [-5, -2.3124383412727525],
    ],
  ],
  [
    'acosh',
    (x) => x.acosh(),
    [
      [1.3, 0.7564329108569596],
      [1e10, 23.7189981105004],
    ],
  ],
  [
    'atanh',
    (x) => x.atanh(),
    [
      [1e-10, 1e-10],
      [-0.99, -2.6466524123622457],
    ],
  ],
  [
    'sinh',
    (x) => x.sinh(),
    [
      [1e-10, 1e-10],
      [-20, -242582597.70489514],
    ],
  ],
  [
    'exp2',
    (x) => x.exp2(),
    [
      [0.3, 1.2311444133449163],
      [-30.7, 5.732962923799255e-10],
    ],
  ],
  [
    'log2',
    (x) => x.log2(),
    [
      [1e-10, -33.219280948873624],
      [3, 1.584962500721156],
    ],
  ],
  [
    'log10',
    (x) => x.log10(),
    [
      [1e-10, -10],
      [3, 0.47712125471966244],
    ],
  ],
  [
    'sigmoid',
    (x) => x.sigmoid(),
    [
      [-30, 9.357622968839299e-14],
      [-700, 9.85967654375977e-305],
      [5, 0.9933071490757152],
    ],
  ],
];

// erfinv follows PyTorch bit for bit, whose two steps of Newton's method leave some units near 1.
const LIMITS: Record<string, number> = { erfinv: 6e-15 };

it.each(TABLE)('%s', (name, f, points) => {
  const got = numbersOf(f(float64(points.map(([x]) => x))));
  points.forEach(([x, y], i) => {
    expect(Math.abs(got[i] - y) / Math.abs(y), `at ${x}`).toBeLessThan(LIMITS[name] ?? 2e-15);
  });
});

describe('at the ends of their domains [R]', () => {
  it.each<[string, (x: Tensor) => Tensor, number[], number[]]>([
    ['erf', (x) => x.erf(), [-0, Infinity, -Infinity, NaN], [-0, 1, -1, NaN]],
    ['erfc', (x) => x.erfc(), [30, Infinity, -Infinity, NaN], [0, 0, 2, NaN]],
    ['erfinv', (x) => x.erfinv(), [-1, 1, 2, -0, NaN], [-Infinity, Infinity, NaN, -0, NaN]],
    [
      'lgamma',
      (x) => x.lgamma(),
      [0, -2, 1, -Infinity, NaN],
      [Infinity, Infinity, 0, Infinity, NaN],
    ],
    ['digamma', (x) => x.digamma(), [0, -0, -2, Infinity], [-Infinity, Infinity, NaN, Infinity]],
    ['logit', (x) => x.logit(), [-1, 0, 1, 2], [NaN, -Infinity, Infinity, NaN]],
    ['sinc', (x) => x.sinc(), [0, NaN], [1, NaN]],
  ])('%s', (_, f, xs, ys) => {
    expect([...numbersOf(f(float64(xs)))]).toEqual(ys);
  });
});
