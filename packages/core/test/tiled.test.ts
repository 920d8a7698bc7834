// Tiling: on devices that refuse what is large along some axis, the pieces give the results of the
// whole, every piece has passed the device's check, and no better split was passed over.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import * as vg from '../src/index.js';
import {
  type Piece,
  Pieces,
  pieces,
  SPLIT_AXES,
  wholeGrid,
  withTile,
} from '../src/strategies/tiled/pieces.js';
import {
  convolutions,
  convolve,
  convolveTransposed,
  type DrawnConvolution,
} from './support/geometries.js';
import { type Limits, limitedDevice, NO_LIMITS } from './support/limited-device.js';
import { defined, expectClose, filled, thrownBy } from './support/numbers.js';

const { strategies } = vg;

const limit = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 3 }));

const limits: fc.Arbitrary<Limits> = fc.record({
  batch: limit,
  groups: limit,
  inChannels: limit,
  outChannels: limit,
  output: fc.tuple(limit, limit, limit),
  evenPadding: fc.boolean(),
  kernels: fc.constantFrom(
    ['convForward', 'convBackward'],
    ['convForward', 'convBackward', 'convWeight'],
    ['convForward', 'convWeight'],
    ['convForward'],
  ),
});

const forced = <T>(strategy: string, fn: () => T): T =>
  strategies.with(
    { conv3d: strategy, 'conv3d.forward': strategy, 'convTranspose3d.forward': strategy },
    fn,
  );

/** Output and gradients of a convolution on `device`. */
function derive(c: DrawnConvolution, device: vg.Device): vg.Tensor[] {
  const [x, w] = [c.input, c.weight].map((shape) => filled(shape, -1, 0.9).to(device));
  const leaves = [x.requiresGrad_(), w.requiresGrad_()];
  const y = convolve[c.rank](x, w, null, c.options);
  const gradients = vg.grad(y, leaves, { gradOutputs: filled(y.shape, -0.9, 1).to(device) });
  return [y, ...gradients.map((g) => defined(g))];
}

const expectSame = (got: readonly vg.Tensor[], right: readonly vg.Tensor[], tolerance = 1e-12) =>
  got.forEach((t, i) => {
    expectClose(t, right[i], tolerance, `result ${i}`);
  });

/** Whether no device limits but sizes: then one output position of one channel always passes. */
const allKernels = ({ kernels }: Limits) => kernels.includes('convBackward');

describe('on a device with limits', () => {
  it.each(['tiled', 'composite'])('%s gives the results of the whole, and keeps them', (name) => {
    forAll(
      fc.tuple(convolutions, limits),
      ([c, bounds]) => {
        const device = limitedDevice(bounds);
        if (name === 'tiled' && !allKernels(bounds)) return;
        expectSame(
          forced(name, () => derive(c, device)),
          derive(c, vg.cpu),
        );
      },
      150,
    );
  });

  it('so does what is chosen', () => {
    forAll(fc.tuple(convolutions, limits), ([c, bounds]) => {
      expectSame(derive(c, limitedDevice(bounds)), derive(c, vg.cpu));
    });
  });

  it('transposed convolutions, with the output padding that a stride leaves', () => {
    const padded = convolutions.filter(({ options }) =>
      options.padding.every(([lo, hi]) => lo === hi),
    );
    forAll(fc.tuple(padded, limits, fc.boolean()), ([c, bounds, extra]) => {
      if (!allKernels(bounds)) return;
      const options = {
        ...c.options,
        padding: c.options.padding.map(([lo]) => lo),
        outputPadding: c.options.stride.map((s) => (extra ? s - 1 : 0)),
      };
      const shape = convolve[c.rank](filled(c.input), filled(c.weight), null, c.options).shape;
      const run = (device: vg.Device) => {
        const [x, w] = [shape, c.weight].map((s) => filled(s).to(device));
        return convolveTransposed[c.rank](x, w, null, options);
      };
      if (options.outputPadding.some((p, a) => p > 0 && p >= c.options.stride[a])) return;
      const sizes = shape.slice(2).map((s, a) => {
        const reach = vg.dilatedKernel(c.weight[a + 2], c.options.dilation[a]);
        return (s - 1) * c.options.stride[a] - 2 * options.padding[a] + reach;
      });
      if (sizes.some((s, a) => s + options.outputPadding[a] <= 0)) return;
      expectSame([forced('tiled', () => run(limitedDevice(bounds)))], [run(vg.cpu)]);
    });
  });
});

/** The call as strategies see it. */
const callOf = (
  input: readonly number[],
  weight: readonly number[],
  options: vg.ConvOptions = {},
  needs: vg.Needs = [true, true, true],
): vg.ConvCall => ({
  geometry: vg.convGeometry('conv3d', 3, input, weight, null, options),
  dtype: 'float64',
  bias: false,
  needs,
});

describe('the steps of a strategy', () => {
  it('are the convolutions that it runs, each as often as it says', () => {
    forAll(
      fc.tuple(convolutions, limits, fc.constantFrom('tiled', 'composite')),
      ([c, bounds, name]) => {
        if (name === 'tiled' && !allKernels(bounds)) return;
        const device = limitedDevice(bounds);
        const ops = ['conv3d.forward', 'conv3d'];
        const entries = strategies.trace(() => forced(name, () => derive(c, device)));
        const steps = entries
          .filter(({ op }) => ops.includes(op))
          .flatMap(({ op, call }) => {
            const { input, weight, padding, stride, dilation, groups, needs } =
              call as Required<vg.ConvCallLike>;
            const [x, w] = [input, weight];
            const rank = (w.length - 2) as 1 | 2 | 3;
            const options = { padding, stride, dilation, groups };
            const geometry = vg.convGeometry('conv', rank, x, w, null, options);
            const described = { geometry, dtype: 'float64', bias: false, needs } as const;
            return vg.describeSteps({ op, name }, described, device.capabilities);
          });
        const said = new Map<string, number>();
        for (const { kernel, call, repeats } of steps) {
          if (!kernel || !call) continue;
          expect(device.capabilities.checkConv(kernel, call)).toEqual([]);
          const key = JSON.stringify([kernel, sizesOf(call.geometry)]);
          said.set(key, (said.get(key) ?? 0) + repeats);
        }
        const ran = new Map<string, number>();
        for (const { kernel, geometry } of device.calls) {
          const key = JSON.stringify([kernel, sizesOf(geometry)]);
          ran.set(key, (ran.get(key) ?? 0) + 1);
        }
        // Without a batch the weight gradient is zero, and no step of it runs.
        if (c.input[0] > 0) expect(ran).toEqual(said);
      },
      80,
    );
  });

  it('say what they hold in memory: one piece, and the spread gradient of a composite', () => {
    const bounds = { ...NO_LIMITS, output: [100, 100, 8] as const };
    const { capabilities } = limitedDevice(bounds);
    const call = callOf([1, 2, 6, 6, 16], [2, 2, 3, 3, 3], { padding: 1 });
    const tiled = vg.describeSteps({ op: 'conv3d', name: 'tiled' }, call, capabilities);
    expect(tiled.map(({ what, repeats }) => [what, repeats])).toEqual([
      ['input gradient and weight gradient, one piece', 1],
      ['input gradient and weight gradient, one piece', 1],
      ['bias gradient, a sum', 1],
    ]);
    // 2 channels of 6·6·9 inputs and the weight's 108 elements, 8 bytes each.
    expect(vg.extraBytes(tiled)).toBe(8 * (2 * 6 * 6 * 9 + 108));
    const { capabilities: free } = limitedDevice(NO_LIMITS);
    const fused = vg.describeSteps({ op: 'conv3d', name: 'fused' }, call, free);
    expect(fused).toMatchObject([{ kernel: 'convBackward', call, repeats: 1, bytes: 0 }]);
    expect(vg.describeSteps({ op: 'conv3d', name: 'mine' }, call, free)).toMatchObject([
      { what: 'mine', kernel: null },
    ]);
  });
});

describe('the kinds of pieces of a split', () => {
  it('are those of its pieces, and their numbers and reads add up', () => {
    const splits = fc.tuple(
      convolutions.filter(({ rank }) => rank === 3),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 7, maxLength: 7 }),
      fc.boolean(),
    );
    forAll(
      splits,
      ([c, tiles, evenPadding]) => {
        const g = vg.convGeometry('conv3d', 3, c.input, c.weight, null, c.options);
        let grid = wholeGrid(g);
        SPLIT_AXES.forEach((axis, i) => {
          if (tiles[i] < grid[axis]) grid = withTile(grid, axis, tiles[i]);
        });
        const key = ({ geometry, margins }: Piece) => JSON.stringify([sizesOf(geometry), margins]);
        const made = new Map<string, number>();
        for (const piece of pieces(g, { grid, evenPadding }))
          made.set(key(piece), (made.get(key(piece)) ?? 0) + 1);
        const kinds = new Pieces(g).kinds({ grid, evenPadding });
        const said = Array.from(kinds, ({ piece, repeats }) => [key(piece), repeats] as const);
        expect(new Map(said)).toEqual(made);
      },
      200,
    );
  });
});

const sizesOf = (g: vg.ConvGeometry) => [
  g.batch,
  g.groups,
  vg.inputShape(g),
  vg.weightShape(g),
  g.output,
  g.padding,
];

describe('choosing a split', () => {
  const consider = (device: vg.Device, call: object) => {
    const { considered } = strategies.explain('conv3d', call, device);
    return defined(considered.find(({ name }) => name === 'tiled'));
  };

  it('takes the fewest pieces along the axis that is too large', () => {
    const device = limitedDevice({ ...NO_LIMITS, output: [100, 100, 30] });
    const call = { input: [1, 2, 20, 20, 64], weight: [2, 2, 3, 3, 3], padding: 1 };
    expect(consider(device, call).reasons).toEqual([
      'input gradient and weight gradient in 3 pieces along width (22 outputs) by convBackward',
    ]);
  });

  it('along two axes where one is not enough, and explicit padding where a device needs it', () => {
    const device = limitedDevice({ ...NO_LIMITS, output: [100, 10, 10], evenPadding: true });
    const call = { input: [1, 2, 8, 20, 20], weight: [2, 2, 3, 3, 3], padding: 1 };
    expect(consider(device, call).reasons).toEqual([
      'input gradient and weight gradient in 4 pieces along height (10 outputs) and width (10 ' +
        'outputs), uneven padding made explicit by convBackward',
    ]);
  });

  it('splits batch and groups without a halo', () => {
    const device = limitedDevice({ ...NO_LIMITS, groups: 1, batch: 2 });
    const call = { input: [4, 4, 5, 5, 5], weight: [4, 2, 3, 3, 3], groups: 2 };
    expect(consider(device, call).reasons).toEqual([
      'input gradient and weight gradient in 4 pieces along batch (2 at a time) and groups (1 at a ' +
        'time) by convBackward',
    ]);
  });

  it('splits each gradient as it needs', () => {
    const device = limitedDevice(NO_LIMITS);
    const { checkConv } = device.capabilities;
    const picky = new vg.Device(
      'picky',
      'limited',
      {
        ...device.capabilities,
        checkConv: (kernel, call) =>
          call.needs[0] && call.geometry.output[0] > 4
            ? [{ check: 'depth', message: 'too deep' }]
            : checkConv(kernel, call),
      },
      device.kernels,
    );
    const call = { input: [1, 8, 8, 64, 64], weight: [8, 8, 3, 3, 3] };
    expect(consider(picky, call).reasons).toEqual([
      'input gradient in 2 pieces along depth (3 outputs) by convBackward',
      'weight gradient whole by convBackward',
    ]);
  });

  it('where no split helps it says which limit stays, and the composite runs', () => {
    const call = { input: [1, 2, 8, 8, 8], weight: [2, 2, 3, 3, 3], stride: 2 };
    const { capabilities, kernels } = limitedDevice(NO_LIMITS);
    const device = new vg.Device(
      'no-strides',
      'limited',
      {
        ...capabilities,
        checkConv: (_, { geometry: g }) =>
          g.stride[0] > 1 ? [{ check: 'stride', message: 'stride 2 is over 1', code: 'E7' }] : [],
      },
      kernels,
    );
    const tiled = consider(device, call);
    expect(tiled).toMatchObject({ ok: false });
    expect(tiled.reasons[0]).toBe(
      'E7: no split along batch, groups, channels, depth, height or width makes the input gradient ' +
        'fit: stride 2 is over 1',
    );
    expect(strategies.explain('conv3d', call, device).chosen).toBe('composite');
    const x = filled(call.input).to(device).requiresGrad_();
    const w = filled(call.weight).to(device);
    const y = vg.conv3d(x, w, null, { stride: 2 });
    const error = thrownBy(() => forced('tiled', () => y.sum().backward()));
    expect(error).toMatchObject({ code: 'E7' });
  });

  it('is never chosen where the device takes the call whole', () => {
    forAll(convolutions, ({ input, weight, options }) => {
      const call = { input, weight, ...options };
      expect(strategies.explain('conv3d', call, 'cpu').chosen).toBe('fused');
    });
  });
});
