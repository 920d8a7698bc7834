// Writes test/fixtures/layers-models.json: models that TensorFlow.js's own layers saved, an input and
// what they make of it. It takes the packages of bench/ (npm run bench -- dense installs them):
//   node test/oracle/layers-models.mjs

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../bench/package.json', import.meta.url));
const tf = require('@tensorflow/tfjs');
await tf.setBackend('cpu');
await tf.ready();
const { layers: L } = tf;

/** Weights that no layer starts with, the same in every run: multiples of 1/64, sums of them exact. */
function fill(model) {
  let state = 1;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return (state % 129) / 64 - 1;
  };
  for (const layer of model.layers) {
    const names = layer.weights.map(({ originalName }) => originalName);
    layer.setWeights(
      layer.getWeights().map((weight, i) => {
        const isVariance = /variance/.test(names[i]); // which is positive
        const values = Float32Array.from({ length: weight.size }, () =>
          isVariance ? 1.25 + next() / 2 : next(),
        );
        return tf.tensor(values, weight.shape);
      }),
    );
  }
}

const conv3d = (filters, kernelSize, more = {}) => L.conv3d({ filters, kernelSize, ...more });

const MODELS = {
  'convolutions in 3D': () => [
    conv3d(4, 3, { padding: 'same', activation: 'relu', inputShape: [7, 6, 5, 2] }),
    conv3d(3, [2, 3, 4], { padding: 'same', activation: 'elu' }),
    conv3d(4, 3, { padding: 'same', dilationRate: 2, useBias: false }),
    L.leakyReLU({ alpha: 0.2 }),
    conv3d(2, [1, 2, 1], { activation: 'softmax' }),
  ],
  'strides with padding': () => [
    conv3d(3, [2, 3, 4], { padding: 'same', strides: 2, inputShape: [7, 6, 9, 1] }),
    conv3d(2, 3, { padding: 'same', strides: [1, 2, 3], activation: 'tanh' }),
  ],
  'transposed, without a surplus': () => [
    L.conv3dTranspose({ filters: 2, kernelSize: 2, strides: 2, inputShape: [3, 2, 4, 3] }),
    L.conv3dTranspose({ filters: 3, kernelSize: [1, 2, 3], strides: [2, 1, 3] }),
  ],
  'transposed, cropped by an odd number': () => [
    L.conv3dTranspose({
      filters: 2,
      kernelSize: 3,
      strides: 2,
      padding: 'same',
      activation: 'sigmoid',
      inputShape: [3, 2, 4, 3],
    }),
    L.conv3dTranspose({ filters: 1, kernelSize: [5, 4, 3], padding: 'same' }),
  ],
  pools: () => [
    L.maxPooling3d({ poolSize: 3, strides: 2, padding: 'same', inputShape: [7, 6, 8, 2] }),
    L.averagePooling3d({ poolSize: 2 }),
  ],
  'flattened and dense': () => [
    conv3d(3, 2, { inputShape: [3, 4, 3, 2] }),
    L.dropout({ rate: 0.5 }),
    L.flatten(),
    L.dense({ units: 5, activation: 'relu' }),
    L.batchNormalization({ scale: false, center: false, epsilon: 0.01 }),
    L.dense({ units: 3, activation: 'softmax', useBias: false }),
  ],
  'two axes': () => [
    L.zeroPadding2d({
      padding: [
        [1, 2],
        [0, 3],
      ],
      inputShape: [6, 5, 2],
    }),
    L.conv2d({ filters: 3, kernelSize: 3, strides: 2, padding: 'same' }),
    L.batchNormalization({ momentum: 0.9 }), // of five axes, TensorFlow.js has none
    L.upSampling2d({ size: [2, 3] }),
    L.cropping2D({
      cropping: [
        [1, 0],
        [2, 1],
      ],
    }),
    L.reLU({ maxValue: 6 }),
    L.globalAveragePooling2d({}),
    L.batchNormalization({}),
  ],
  'one axis': () => [
    L.conv1d({ filters: 3, kernelSize: 4, strides: 2, padding: 'same', inputShape: [9, 2] }),
    L.maxPooling1d({ poolSize: 2 }),
    L.softmax({ axis: -1 }),
  ],
};

function functional() {
  const input = tf.input({ shape: [4, 4, 4, 1], name: 'volume' });
  const hidden = conv3d(2, 3, { name: 'hidden.1', padding: 'same' }).apply(input);
  const output = L.activation({ activation: 'softplus', name: 'soft' }).apply(hidden);
  return tf.model({ inputs: input, outputs: output });
}

async function record(name, model) {
  fill(model);
  let saved;
  await model.save(
    tf.io.withSaveHandler(async (artifacts) => {
      saved = artifacts;
      return { modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' } };
    }),
  );
  const shape = [2, ...model.inputs[0].shape.slice(1)];
  const size = shape.reduce((a, b) => a * b, 1);
  const input = tf.tensor(
    Float32Array.from({ length: size }, (_, i) => ((i * 37) % 33) / 16 - 1),
    shape,
  );
  const output = model.predict(input);
  const list = (t) => ({ shape: t.shape, values: Array.from(t.dataSync()) });
  return {
    name,
    model: {
      format: 'layers-model',
      generatedBy: saved.generatedBy,
      convertedBy: null,
      modelTopology: saved.modelTopology,
      weightsManifest: [{ paths: ['weights.bin'], weights: saved.weightSpecs }],
    },
    weights: Buffer.from(tf.io.concatenateArrayBuffers([saved.weightData].flat())).toString(
      'base64',
    ),
    input: list(input),
    output: list(output),
  };
}

const records = [];
for (const [name, layers] of Object.entries(MODELS))
  records.push(await record(name, tf.sequential({ layers: layers() })));
records.push(await record('a functional model', functional()));
const file = new URL('../fixtures/layers-models.json', import.meta.url);
writeFileSync(file, `[\n${records.map((r) => JSON.stringify(r)).join(',\n')}\n]\n`);
console.log(`${records.length} models, TensorFlow.js ${tf.version['tfjs-layers']}`);
