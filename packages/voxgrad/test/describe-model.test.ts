import { plan } from '@voxgrad/npu';
import { describe, expect, it } from 'vitest';
import { cat, describeModel, F, nn, npu, randn, type Tensor, VoxgradError } from '../src/index.js';

class Net extends nn.Module {
  stem = new nn.Conv3d(1, 4, 3, { padding: 1 });
  norm = new nn.BatchNorm3d(4);
  large = new nn.Conv3d(4, 4, 9, { padding: 4, groups: 4, bias: false });
  down = new nn.Conv3d(4, 8, 3, { stride: 2, padding: 1 });
  up = new nn.ConvTranspose3d(8, 4, 3, { stride: 2, padding: 1, outputPadding: 1 });
  head = new nn.Conv3d(8, 2, 1);
  override forward(x: Tensor): Tensor {
    const a = F.relu(this.norm.call(this.stem.call(x)));
    const b = F.dropout(F.relu(this.large.call(a)), 0.5, { training: this.training });
    const u = this.up.call(this.down.call(b));
    return this.head.call(cat([u, a], 1));
  }
}

describe('describeModel', () => {
  it('finds every convolution with what comes in and what is wanted of it', () => {
    const described = describeModel(new Net(), [1, 1, 296, 296, 168]);
    expect(described).toMatchObject({
      name: 'Net',
      input: [1, 1, 296, 296, 168],
      dtype: 'float32',
    });
    expect(
      described.layers.map(({ name, type, input, needs }) => [name, type, input, needs]),
    ).toEqual([
      ['stem', 'Conv3d', [1, 1, 296, 296, 168], [false, true, true]],
      ['large', 'Conv3d', [1, 4, 296, 296, 168], [true, true, false]],
      ['down', 'Conv3d', [1, 4, 296, 296, 168], [true, true, true]],
      ['up', 'ConvTranspose3d', [1, 8, 148, 148, 84], [true, true, false]],
      ['head', 'Conv3d', [1, 8, 296, 296, 168], [true, true, true]],
    ]);
    // The description is JSON, and the planner's.
    const read = JSON.parse(JSON.stringify(described));
    const { layers } = plan(npu('Ascend910B1', { cann: '8.2.RC1' }), read);
    expect(layers.map(({ name, native }) => [name, native.ok])).toEqual([
      ['stem', true],
      ['large', false], // 9³ depthwise passes up to a width of 167
      ['down', true],
      ['up', true],
      ['head', true],
    ]);
  });

  it('leaves the module as it was', () => {
    const net = new Net();
    const before = [...net.stateDict()].map(([key, t]) => [key, t.tolist()]);
    const parameters = net.parameters();
    describeModel(net, [2, 1, 16, 16, 16]);
    expect([...net.stateDict()].map(([key, t]) => [key, t.tolist()])).toEqual(before);
    expect(net.parameters()).toEqual(parameters);
    expect(net.training).toBe(true);
    expect(net.call(randn([1, 1, 8, 8, 8])).shape).toEqual([1, 2, 8, 8, 8]);
  });

  it('describes what the strategies see: the sizes of a real run', () => {
    const net = new Net();
    const seen: (readonly number[])[] = [];
    for (const module of [net.stem, net.large, net.down, net.up, net.head])
      module.registerForwardPreHook((_, [x]) => void seen.push((x as Tensor).shape));
    net.call(randn([2, 1, 10, 8, 12]));
    const described = describeModel(net, [2, 1, 10, 8, 12]);
    expect(described.layers.map(({ input }) => input)).toEqual(seen.slice(0, 5));
  });

  it('a module that runs twice gives two layers; 1D and 2D keep their ranks', () => {
    class Twice extends nn.Module {
      conv = new nn.Conv2d(3, 3, 3, { padding: 1 });
      override forward(x: Tensor): Tensor {
        return this.conv.call(this.conv.call(x));
      }
    }
    const { layers } = describeModel(new Twice(), [1, 3, 8, 9]);
    expect(layers.map(({ name, type, kernelSize }) => [name, type, kernelSize])).toEqual([
      ['conv', 'Conv2d', [3, 3]],
      ['conv#2', 'Conv2d', [3, 3]],
    ]);
  });

  it('a frozen layer wants no gradient of its weight', () => {
    const net = new Net();
    net.large.requiresGrad_(false);
    expect(describeModel(net, [1, 1, 16, 16, 16]).layers[1].needs).toEqual([true, false, false]);
  });

  it('refuses what decides by values, and what is no module', () => {
    class ByValue extends nn.Module {
      conv = new nn.Conv3d(1, 1, 1);
      override forward(x: Tensor): Tensor {
        return Number(x.sum().item()) > 0 ? this.conv.call(x) : x;
      }
    }
    const net = new ByValue();
    expect(() => describeModel(net, [1, 1, 4, 4, 4])).toThrow(/reads the values of a tensor/);
    expect(net.conv.weight.device.name).not.toBe('sizes'); // put back all the same
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => describeModel({}, [1])).toThrow(VoxgradError);
    expect(() => describeModel(net, [])).toThrow(/expected the sizes of an input/);
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => describeModel(net, [1, 1, 4], { dtpye: 'x' })).toThrow(/dtype/);
  });
});
