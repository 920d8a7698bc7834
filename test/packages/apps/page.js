// The page of the small program: trains on its own thread, then in a worker, and notes what came out.

import { startEngine } from 'voxgrad/worker';
import { train } from './train.js';

const noted = (promise) =>
  promise.then(
    () => 'nothing thrown',
    (error) => `${error.code ?? error.name}: ${error.message}`,
  );

async function run() {
  let firstStep;
  const here = await train(3, () => {
    firstStep ??= performance.now();
  });
  const worker = new Worker(new URL('./engine.js', import.meta.url), { type: 'module' });
  const engine = await startEngine(worker);
  const seen = [];
  const onProgress = (step) => seen.push(step);
  const there = await engine.run('train', { steps: 3 }, { onProgress });
  const numbers = Float64Array.of(1, 2, 3);
  const sum = await engine.run('sum', numbers, { transfer: [numbers.buffer] });
  const failed = await noted(engine.run('fail'));
  const unknown = await noted(engine.run('nothing'));
  const control = new AbortController();
  const long = engine.run(
    'train',
    { steps: 1e9 },
    {
      signal: control.signal,
      onProgress: (step) => step === 2 && control.abort(),
    },
  );
  const aborted = await noted(long);
  const after = await engine.run('sum', [1]);
  const pending = noted(engine.run('train', { steps: 1e9 }));
  engine.stop();
  const missing = await noted(
    startEngine(new Worker(URL.createObjectURL(new Blob(['throw new Error("broken")'])))),
  );
  return {
    isolated: crossOriginIsolated,
    firstStep,
    here,
    there,
    seen,
    sum,
    moved: numbers.length === 0,
    failed,
    unknown,
    aborted,
    after,
    stopped: await pending,
    missing,
  };
}

globalThis.result = run();
