// Models in the layers-model format of TensorFlow.js as modules: against what TensorFlow.js itself
// computes with them (test/oracle/layers-models.mjs wrote the fixture), and on a public network.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type FileContent, inspect, load, readLayersModel } from '@voxgrad/checkpoint';
import { noGrad, type Tensor, tensor } from '@voxgrad/core';
import type * as nn from '@voxgrad/nn';
import * as nifti from 'nifti-reader-js';
import { describe, expect, it } from 'vitest';
import { MRI, mriIsHere, titledMri } from '../../../test/support/mri.js';
import { loadLayersModel } from '../src/index.js';

interface Values {
  readonly shape: number[];
  readonly values: number[];
}

interface Layer {
  class_name: string;
  config: Record<string, unknown>;
  inbound_nodes?: unknown[];
}

interface Model {
  modelTopology: { class_name: string; config: { layers: Layer[]; output_layers?: unknown[] } };
  weightsManifest: { paths: string[]; weights: { name: string; shape: number[] }[] }[];
}

interface Recorded {
  readonly name: string;
  readonly model: Model;
  readonly weights: string;
  readonly input: Values;
  readonly output: Values;
}

const FIXTURE = new URL('../../../test/fixtures/layers-models.json', import.meta.url);
const recorded = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Recorded[];

const text = (value: unknown) => new Blob([JSON.stringify(value)]);
const filesOf = ({ model, weights }: Recorded): Record<string, FileContent> => ({
  'model.json': text(model),
  'weights.bin': Buffer.from(weights, 'base64'),
});

/** Of `[N, …, C]`; where there are no axes between, they stay. */
const channelsFirst = (x: Tensor): Tensor => x.movedim(-1, 1);
const tensorOf = ({ shape, values }: Values) => tensor(values, { dtype: 'float32' }).reshape(shape);

const distance = (a: Tensor, b: Tensor): number => {
  expect(a.shape).toEqual(b.shape);
  const scale = Math.max(1, b.abs().max().item());
  return a.sub(b).abs().max().item() / scale;
};

describe('as TensorFlow.js computes it', () => {
  it.each(recorded)('$name', async (row) => {
    const model = await loadLayersModel(filesOf(row));
    expect(model.training).toBe(false);
    const output = noGrad(() => model.call(channelsFirst(tensorOf(row.input))));
    expect(distance(output, channelsFirst(tensorOf(row.output)))).toBeLessThan(2e-6);
  });
});

function find(name: string): Recorded {
  const row = recorded.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no fixture is called ${name}`);
  return structuredClone(row);
}

describe('layers', () => {
  it('have their names, with dots that a module cannot have as underscores', async () => {
    const model = await loadLayersModel(filesOf(find('a functional model')));
    expect(model.namedChildren().map(([name]) => name)).toEqual(['hidden_1', 'soft']);
    expect([...model.stateDict().keys()]).toEqual(['hidden_1.weight', 'hidden_1.bias']);
  });

  it('take gradients', async () => {
    const row = find('convolutions in 3D');
    const model = await loadLayersModel(filesOf(row));
    model
      .call(channelsFirst(tensorOf(row.input)))
      .pow(2)
      .sum()
      .backward();
    for (const parameter of model.parameters())
      expect(parameter.grad?.abs().sum().item()).toBeGreaterThan(0);
  });

  // TensorFlow.js has no batch norm over five axes, and Keras's models do: by its formula.
  it('normalise volumes', async () => {
    const layer = {
      class_name: 'BatchNormalization',
      config: {
        name: 'bn',
        axis: [4],
        epsilon: 0.5,
        momentum: 0.75,
        batch_input_shape: [null, 2, 2, 2, 2],
      },
    };
    const names = ['gamma', 'beta', 'moving_mean', 'moving_variance'];
    const model = await loadLayersModel({
      'model.json': text({
        modelTopology: { model_config: { class_name: 'Sequential', config: [layer] } },
        weightsManifest: [
          {
            paths: ['a.bin', 'b.bin'],
            weights: names.map((name) => ({ name: `bn/${name}`, shape: [2], dtype: 'float32' })),
          },
        ],
      }),
      // gamma 2 and 3, beta 1 and -1, mean 4 and 5, variance 3.5 and 0.5; cut within a number
      'a.bin': new Uint8Array(Float32Array.of(2, 3, 1, -1, 4).buffer).subarray(0, 18),
      'b.bin': new Uint8Array(
        Uint8Array.of(...new Uint8Array(Float32Array.of(4, 5, 3.5, 0.5).buffer).subarray(2)),
      ),
    });
    const norm = model.at(0) as nn.BatchNorm3d;
    expect([norm.constructor.name, norm.eps, norm.momentum]).toEqual(['BatchNorm3d', 0.5, 0.25]);
    const y = model.call(tensor([1, 7], { dtype: 'float32' }).reshape([1, 2, 1, 1, 1]));
    // (1 - 4) / 2 · 2 + 1 and (7 - 5) / 1 · 3 - 1
    expect(y.flatten().tolist()).toEqual([-2, 5]);
  });
});

describe('what cannot be built is named, with what to do', () => {
  const withLayer = (className: string, config: Record<string, unknown>) => {
    const row = find('convolutions in 3D');
    row.model.modelTopology.config.layers.push({
      class_name: className,
      config: { name: 'odd', ...config },
    });
    return loadLayersModel(filesOf(row));
  };
  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ['an unknown layer', 'GRU', {}, /odd: the layer of class GRU has no counterpart here\. Read/],
    ['an unknown activation', 'Activation', { activation: 'cube' }, /has the activation cube/],
    ['an average over padding', 'AveragePooling3D', { pool_size: 2, padding: 'same' }, /averages/],
    ['another axis', 'Softmax', { axis: 2 }, /another axis than channels/],
    ['another axis', 'BatchNormalization', { axis: 1 }, /another axis than channels/],
    ['what is no setting', 'ZeroPadding3D', { padding: 'x' }, /has "x" as padding, where 3 pairs/],
    ['a Dense on volumes', 'Dense', { units: 2 }, /stands before a Flatten/],
    ['a layer without weights', 'Conv3D', { kernel_size: 3 }, /has no weights in the files/],
    ['a name twice', 'Dropout', { name: 'conv3d_Conv3D1_activation' }, /the second module called/],
  ])('%s', async (_, className, config, message) => {
    await expect(withLayer(className, config)).rejects.toThrow(message);
  });

  it('branches', async () => {
    const row = find('a functional model');
    const [, hidden] = row.model.modelTopology.config.layers;
    const add = {
      class_name: 'Add',
      name: 'add',
      config: { name: 'add' },
      inbound_nodes: [
        [
          ['soft', 0, 0, {}],
          ['volume', 0, 0, {}],
        ],
      ],
    };
    row.model.modelTopology.config.layers.push(add);
    await expect(loadLayersModel(filesOf(row))).rejects.toThrow(/add: .* is a branch/);
    row.model.modelTopology.config.output_layers = [['add', 0, 0]];
    await expect(loadLayersModel(filesOf(row))).rejects.toThrow(/add: .* is a branch/);
    row.model.modelTopology.config.output_layers = [['hidden.1', 0, 0]];
    hidden.inbound_nodes = [[['hidden.1', 0, 0, {}]]];
    await expect(loadLayersModel(filesOf(row))).rejects.toThrow(/is connected, but not among/);
  });

  it('weights of other layers', async () => {
    const row = find('a functional model');
    row.model.weightsManifest[0].weights[1].name = 'other/bias';
    await expect(loadLayersModel(filesOf(row))).rejects.toThrow(
      /hidden_1\.bias is missing, other\.bias belongs to none/,
    );
  });

  it('a file of another format', async () => {
    const path = fileURLToPath(
      new URL('../../../test/fixtures/checkpoint.safetensors', import.meta.url),
    );
    await expect(loadLayersModel(path)).rejects.toThrow(/of the format safetensors, not the model/);
  });
});

describe.skipIf(!mriIsHere)(titledMri('a public network'), () => {
  const path = `${MRI}tfjs/model.json`;

  it('is described without its weights', async () => {
    const { format, tensors, metadata } = await inspect(path);
    expect(format).toBe('tfjs-layers');
    expect(metadata?.convertedBy).toBe('TensorFlow.js Converter v3.9.0');
    expect(tensors.length).toBe(20);
    expect(tensors[2]).toEqual({
      name: '23.weight',
      dtype: 'float32',
      shape: [5, 5, 3, 3, 3],
      strides: [1, 5, 225, 75, 25],
      bytes: [560, 3260],
      entry: 'group1-shard1of1.bin',
    });
    const { topology } = await readLayersModel(path);
    expect(topology.layers.length).toBe(20);
  });

  it('has the weights that PyTorch wrote', async () => {
    const ours = [...((await load(path)) as Map<string, Tensor>).values()];
    const theirs = await load(`${MRI}meshnet.pt`);
    const right = [...(theirs as Map<string, Tensor>).values()];
    expect(ours.length).toBe(right.length);
    ours.forEach((t, i) => {
      expect(t.dataSync()).toEqual(right[i].dataSync());
    });
  });

  it('segments a crop of an MRI with the labels of PyTorch', async () => {
    const { crop } = JSON.parse(readFileSync(`${MRI}expected.json`, 'utf8'));
    const model = (await loadLayersModel(path)).double();
    const [x0, y0, z0] = crop.from as [number, number, number];
    const edge: number = crop.edge;
    const file = Uint8Array.from(gunzipSync(readFileSync(`${MRI}t1_crop.nii.gz`)));
    const header = nifti.readHeader(file.buffer);
    if (!header) throw new Error('t1_crop.nii.gz has no NIfTI header');
    const voxels = new Uint8Array(nifti.readImage(header, file.buffer));
    const cube = Float64Array.from({ length: edge ** 3 }, (_, i) => {
      const [x, y, z] = [Math.floor(i / edge ** 2), Math.floor(i / edge) % edge, i % edge];
      return voxels[x0 + x + 256 * (y0 + y + 256 * (z0 + z))] / 255;
    });
    const input = tensor(cube, { shape: [1, 1, edge, edge, edge] });
    const logits = noGrad(() => model.call(input));
    for (const { voxel, logits: right } of crop.logits_at as {
      voxel: number[];
      logits: number[];
    }[])
      right.forEach((value, channel) => {
        const got = [0, channel, ...voxel].reduce((t, at) => t.select(0, at), logits).item();
        expect(Math.abs(got - value)).toBeLessThan(1e-9);
      });
    const labels = logits.argmax(1).to('uint8').dataSync() as Uint8Array;
    expect(createHash('sha256').update(labels).digest('hex')).toBe(
      crop.labels_sha256_uint8_C_order,
    );
  });
});
