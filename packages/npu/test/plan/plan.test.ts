import { strategies, VoxgradError } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../../test/support/properties.js';
import {
  formatConv,
  type ModelDescription,
  npu,
  type PlanCheck,
  type PlanLayer,
  parseConv,
  plan,
  planTable,
} from '../../src/index.js';
import { checkLayer } from '../../src/plan/layer.js';
import { runsNatively } from '../../src/plan/native.js';

const device = npu('Ascend910B1', { cann: '8.2.RC1' });
const TRAIN04 = parseConv('x=1,7,168,296,296 w=7,1,7,7,7 padding=3 groups=7');
const TRAIN05 = parseConv('x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7');
const SMALL = parseConv('x=1,7,32,32,32 w=7,1,9,9,9 padding=4 groups=7');

const only = (layer: PlanLayer, on = device) => plan(on, [layer]).layers[0];
const broken = (checks: readonly PlanCheck[]) => checks.filter(({ ok }) => !ok);

describe('the two calls that crash', () => {
  // The bytes are those of the sourced formula: l1_test_vectors of ../shared/facts/ascend.json.
  it.each([
    { name: 'train04', conv: TRAIN04, need: 555_520, width: 278, axes: [1, 2, 0] },
    { name: 'train05', conv: TRAIN05, need: 525_312, width: 167, axes: null },
  ])(
    '$name: the forward and the weight hold, the input does not',
    ({ conv, need, width, axes }) => {
      const { native, strategy, steps } = only(conv);
      expect(native.ok).toBe(false);
      expect(native.checks.map(({ pass, check, ok }) => [pass, check, ok])).toEqual([
        ['forward', 'L1', true],
        ['input', 'L1', false],
        ['weight', 'L1', true],
      ]);
      expect(broken(native.checks)[0]).toMatchObject({
        needBytes: need,
        limitBytes: 524_288,
        code: 'E69999',
        text: expect.stringContaining('Minimum load size may exceed L1 buffer'),
        source: expect.stringContaining('CheckL1SizeLimit'),
      });
      expect(['composite', 'tiled']).toContain(strategy);
      expect(steps.length).toBeGreaterThan(0);
      expect(native.remedies).toMatchObject({
        width,
        axes,
        inputGradient: false,
        families: ['Ascend950'],
      });
    },
  );

  it('smaller volumes run by the fused backward', () => {
    const { native, strategy } = only(SMALL);
    expect(native).toMatchObject({ ok: true, remedies: null, route: 'aclnn' });
    expect(strategy).toBe('fused');
  });

  it('the code is that of the version', () => {
    const codeUnder = (cann: string) =>
      broken(only(TRAIN05, npu('Ascend910B1', { cann })).native.checks)[0].code;
    expect(codeUnder('8.5.0')).toBe('EZ9999');
    expect(codeUnder('9.1.0')).toBe('E69999');
  });
});

describe('what would make it run', () => {
  it('every remedy of random refused calls holds, and the width is the largest', () => {
    const size = fc.integer({ min: 1, max: 5 });
    const calls = fc.record({
      kernel: fc.integer({ min: 3, max: 11 }),
      height: fc.integer({ min: 12, max: 40 }),
      width: fc.integer({ min: 100, max: 700 }),
      channels: size,
      stride: fc.integer({ min: 1, max: 3 }),
    });
    let refused = 0;
    forAll(
      calls,
      ({ kernel: k, height, width, channels, stride }) => {
        const layer: PlanLayer = {
          input: [1, channels, 12, height, width],
          weight: [channels, 1, k, k, k],
          groups: channels,
          padding: k >> 1,
          stride,
        };
        const { native } = only(layer);
        const { remedies } = native;
        if (remedies === null) return;
        refused++;
        const runs = (change: Partial<PlanLayer>) =>
          runsNatively(checkLayer({ ...layer, ...change }, 'float32'), device.profile);
        const wide = (w: number) => runs({ input: [1, channels, 12, height, w] });
        let largest: number | null = null;
        for (let w = 1; w < width; w++) if (wide(w)) largest = w;
        expect(remedies.width).toBe(largest);
        if (remedies.axes) {
          const [d, h, w] = remedies.axes.map((a) => layer.input[a + 2]);
          expect(runs({ input: [1, channels, d, h, w] })).toBe(true);
        }
        for (const dtype of remedies.dtypes) expect(runs({ dtype })).toBe(true);
        if (remedies.inputGradient === false)
          expect(runs({ needs: [false, true, false] })).toBe(true);
      },
      40,
    );
    expect(refused).toBeGreaterThan(5);
  });

  it('the null gradient of 8.5.0: a newer CANN, another torch_npu, or the gradient of the input', () => {
    const patches = parseConv('x=4,3,2,14,14 w=64,3,2,14,14 stride=2,14,14 needs=wb bias');
    const { native } = only(
      patches,
      npu('Ascend910B1', { cann: '8.5.0', torchNpu: '2.7.1.post2' }),
    );
    expect(broken(native.checks).map(({ pass, check }) => [pass, check])).toEqual([
      ['weight', 'null gradient'],
    ]);
    expect(native.remedies).toMatchObject({ inputGradient: true });
    expect(native.remedies?.cann).toContain('8.5.1');
    expect(native.remedies?.torchNpu).toContain('2.7.1.post4');
    expect(native.remedies?.torchNpu).not.toContain('2.7.1.post3');
  });

  it('a 5-D view stored as ND on the graph operators: the usual format, or the switches off', () => {
    const layer: PlanLayer = { ...SMALL, formats: { input: 'ND' } };
    const on = npu('Ascend910B1', {
      cann: '8.2.RC1',
      torchNpu: 'v7.1.RC1.alpha002-pytorch2.7.1',
      allowInternalFormat: true,
    });
    const { native } = only(layer, on);
    expect(native.route).toBe('acl_op');
    expect(broken(native.checks)).toMatchObject([
      {
        pass: 'weight',
        check: 'format',
        code: 'E69999',
        text: expect.stringContaining('illegal format of x'),
      },
    ]);
    expect(native.remedies).toMatchObject({ usualFormats: true, switchesOff: true });
  });

  it('groups of an old CANN name the versions that take them', () => {
    const grouped = parseConv('x=1,32,16,16,16 w=32,8,3,3,3 padding=1 groups=4');
    const { native } = only(grouped, npu('Ascend910B1', { cann: '8.0.RC3' }));
    expect(broken(native.checks)[0]).toMatchObject({
      pass: 'forward',
      check: 'groups',
      code: 'EZ1001',
    });
    expect(native.remedies?.cann).toEqual(expect.arrayContaining(['8.1.RC1', '9.1.0']));
    expect(native.remedies?.cann).not.toContain('8.0.0');
  });

  it('a chip without a 3D backward: other families', () => {
    const { native, strategy } = only(SMALL, npu('Ascend310P3', { cann: '8.2.RC1' }));
    expect(broken(native.checks).map(({ pass, check }) => [pass, check])).toEqual([
      ['input', 'soc'],
      ['weight', 'soc'],
    ]);
    expect(native.remedies?.families).toEqual(['Ascend910B', 'Ascend910_93', 'Ascend950']);
    expect(strategy).not.toBe('fused');
  });

  it('float64 has no arithmetic there: nothing is composed of nothing', () => {
    const { native, strategy, forward } = only({ ...SMALL, dtype: 'float64' });
    expect(native.ok).toBe(false);
    expect([strategy, forward.strategy]).toEqual([null, null]);
    expect(native.remedies?.dtypes).toContain('float32');
  });
});

describe('passes', () => {
  it('only what is wanted counts', () => {
    const { native } = only({ ...TRAIN05, needs: [false, true, false] });
    expect(native.ok).toBe(true);
    expect(native.checks.map(({ pass }) => pass)).toEqual(['forward', 'weight']);
    expect(only({ ...TRAIN05, needs: [false, false, false] }).native.checks).toHaveLength(1);
  });

  it('a transposed convolution runs its input gradient forwards', () => {
    const layer: PlanLayer = {
      input: [1, 7, 296, 296, 168],
      weight: [7, 1, 9, 9, 9],
      padding: 4,
      groups: 7,
      transposed: true,
    };
    const { native } = only(layer);
    expect(broken(native.checks)).toMatchObject([
      { pass: 'forward', check: 'L1', needBytes: 525_312 },
    ]);
    expect(native.remedies?.width).toBe(167);
  });

  it('the strategy is the one that the registry chooses', () => {
    const { call, strategy } = only(TRAIN04);
    expect(strategies.explain('conv3d', call, device).chosen).toBe(strategy);
  });

  it('memory is that of the tensors', () => {
    const { memoryBytes, savedBytes } = only(SMALL);
    const [x, w] = [7 * 32 ** 3 * 4, 7 * 9 ** 3 * 4];
    expect(savedBytes).toBe(x + w);
    expect(memoryBytes).toBe(x + w + x + x + w); // saved, the gradient of the output, dx, dw
  });
});

describe('a call on one line', () => {
  it('is read and written', () => {
    const text = 'x=1,7,296,296,168 w=7,1,9,9,9 stride=1,2,2 padding=4 groups=7';
    expect(formatConv(parseConv(text))).toBe(text);
    expect(parseConv('w=[8,4,3] x=(1,4,10) padding=same bias=false needs=w')).toEqual({
      input: [1, 4, 10],
      weight: [8, 4, 3],
      padding: 'same',
      bias: false,
      needs: [false, true, false],
    });
  });

  it.each([
    ['x=1,7,8,8,8 w=7,1,3,3,3 grups=7', /no "grups"; the nearest known names are groups/],
    ['x=1,7,8,8,8', /needs the sizes of w/],
    ['x=1,7,8,8,8 x=1 w=1', /x stands twice/],
    ['x=1,7,8,8.5,8 w=7,1,3,3,3', /whole numbers after x=, but got "1,7,8,8.5,8"/],
    ['x=1,7,8,8,8 w=7,1,3,3,3 bias=perhaps', /true or false after bias=/],
    ['x=1,7,8,8,8 w=7,1,3,3,3 needs=q', /letters of x, w and b/],
    ['', /cannot read ""/],
    ['= w', /cannot read "="/],
  ])('%j is refused', (text, message) => {
    expect(() => parseConv(text)).toThrow(VoxgradError);
    expect(() => parseConv(text)).toThrow(message);
  });

  it('sizes that do not fit are refused in the words of PyTorch, with the layer', () => {
    const wrong = () => plan(device, [{ ...SMALL, name: 'enc.0', groups: 3 }]);
    expect(wrong).toThrow(/layer "enc\.0": Given groups=3, expected weight to be divisible by 3/);
    expect(() => plan(device, [{ ...SMALL, weight: [1] }])).toThrow(/a weight of 3, 4 or 5 dims/);
    expect(() => plan('cpu', [SMALL])).toThrow(/plan\(\): expected an NPU/);
    // @ts-expect-error: JavaScript callers may pass nothing
    expect(() => plan(device, null)).toThrow(/expected a list of layers/);
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => plan(device, [null])).toThrow(/expected a convolution/);
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => parseConv(7)).toThrow(/expected a call as text/);
  });
});

describe('a model', () => {
  const MODEL: ModelDescription = {
    input: [1, 1, 64, 64, 600],
    layers: [
      {
        name: 'stem',
        type: 'Conv3d',
        outChannels: 8,
        kernelSize: 3,
        padding: 1,
        needs: [false, true, true],
      },
      { name: 'act', type: 'ReLU' },
      { name: 'pool', type: 'MaxPool3d', kernelSize: 2 },
      { name: 'large', type: 'Conv3d', outChannels: 8, kernelSize: 9, padding: 4, groups: 8 },
      { name: 'up', type: 'ConvTranspose3d', outChannels: 4, kernelSize: 2, stride: 2 },
      { name: 'head', type: 'Conv3d', outChannels: 2, kernelSize: 1 },
    ],
  };

  it('sizes flow from layer to layer', () => {
    const { layers, totals } = plan(device, MODEL);
    expect(layers.map(({ name, input, native }) => [name, input, native.ok])).toEqual([
      ['stem', [1, 1, 64, 64, 600], true],
      ['large', [1, 8, 32, 32, 300], false], // the largest width of 9³ at 8 channels is 167
      ['up', [1, 8, 32, 32, 300], true],
      ['head', [1, 4, 64, 64, 600], true],
    ]);
    expect(totals).toMatchObject({ layers: 4, refused: 1 });
  });

  it('names may be written as in Python', () => {
    const { layers } = plan(device, {
      input: [2, 1, 16, 16, 16],
      layers: [{ type: 'Conv3d', out_channels: 4, kernel_size: [3, 3, 3], dtype: 'torch.float16' }],
    } as unknown as ModelDescription);
    expect(layers[0].call).toMatchObject({ weight: [4, 1, 3, 3, 3], dtype: 'float16', bias: true });
  });

  const refused: readonly (readonly [unknown, RegExp])[] = [
    [{ layers: 3 }, /expected a list "layers"/],
    [{}, /expected a list of layers/],
    [7, /expected a list of layers/],
    [{ layers: [], inputs: [] }, /unknown key "inputs"; the nearest known ones are input/],
    [{ layers: [{ type: 'Conv3D' }] }, /layers\[0\]: no layer type is called .*Conv3D.* Conv3d/],
    [
      { layers: [{ type: 'Conv3d', kernal_size: 3 }] },
      /unknown key "kernal_size"; the nearest known ones are kernelSize/,
    ],
    [{ layers: [{ type: 'Conv3d', outChannels: 2, kernelSize: 3 }] }, /what comes in is not known/],
    [
      { input: [1, 1, 8, 8, 8], layers: [{ type: 'Conv3d', outChannels: -2, kernelSize: 3 }] },
      /outChannels: expected a whole number/,
    ],
    [
      { input: [1, 1, 8, 8, 8], layers: [{ type: 'Conv3d', outChannels: 2 }] },
      /kernelSize is missing/,
    ],
    [
      { input: [1, 1, 8, 8], layers: [{ type: 'Conv3d', outChannels: 2, kernelSize: 3 }] },
      /takes an input of 5 dims/,
    ],
    [
      {
        input: [1, 1, 8, 8, 8],
        layers: [{ type: 'Flatten' }, { type: 'Conv3d', outChannels: 2, kernelSize: 3 }],
      },
      /not known after Flatten/,
    ],
    [{ input: [1, 0, 8], layers: [] }, /model.input: expected sizes/],
    [
      { dtype: 'flaot32', layers: [] },
      /no dtype is called "flaot32"; the nearest known are float32/,
    ],
    [{ input: [1, 1, 8, 8, 8], layers: [{ type: 'MaxPool3d' }] }, /layers\[0\] \(0\): /],
    [
      { input: [1, 1, 2, 2, 2], layers: [{ type: 'Conv3d', outChannels: 2, kernelSize: 3 }] },
      /Kernel size can't be greater/,
    ],
  ];
  it.each(refused)('%j is refused, and says where', (model, message) => {
    expect(() => plan(device, model as ModelDescription)).toThrow(VoxgradError);
    expect(() => plan(device, model as ModelDescription)).toThrow(message);
  });
});

describe('the table', () => {
  const text = planTable(
    plan(device, [
      { ...TRAIN05, name: 'large' },
      { ...SMALL, name: 'small' },
      { ...TRAIN05, name: 'again' },
    ]),
  );

  it('says everything, once for layers alike', () => {
    expect(text).toMatch(/^npu:Ascend910B1, CANN 8\.2\.RC1, torch_npu of 7\.1\.0 \(assumed\)/);
    expect(text).toMatch(/\nlarge +NO +\w+ +1\.2 GB +input L1 \+1024 B\n/);
    expect(text).toMatch(/\nsmall +yes +fused /);
    expect(text).toMatch(/needs 525312 B of 524288 B, 1024 B too many/);
    expect(text).toMatch(/E69999: op\[Conv3DBackpropInputV2\]/);
    expect(text).toMatch(/a width of at most 167; it is 168/);
    expect(text.match(/E69999/g)).toHaveLength(1);
    expect(text).toMatch(/1 of 3 layers run natively/);
  });

  it('keeps its width and has no escapes', () => {
    for (const line of text.split('\n')) {
      expect(line).toBe(line.trimEnd());
      expect(line).toMatch(/^[ -~⌈⌉…²³·]*$/);
      if (line.includes(' ') && !/^\s+\S+$/.test(line))
        expect(line.length).toBeLessThanOrEqual(120);
    }
  });
});
