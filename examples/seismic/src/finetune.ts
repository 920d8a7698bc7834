import {
  type Device,
  F,
  loadStateDict,
  optim,
  type StateDict,
  strategies,
  type TraceEntry,
  tensor,
} from 'voxgrad';
import { FaultNet } from './network.js';
import type { LabelledVolume } from './volume.js';

export interface Run {
  readonly name: string;
  readonly device: Device;
  /** Strategy to force for every convolution's backward, or undefined for the registry's choice. */
  readonly strategy?: string;
}

export interface RunResult {
  readonly losses: number[];
  /** What ran for each layer's backward in the first step, and why. */
  readonly layers: Map<string, TraceEntry>;
  readonly model: FaultNet;
  readonly seconds: number;
}

/** Faults are rare: a missed one costs three times a false alarm. */
const CLASS_WEIGHTS = [1, 3];

/** Loads the checkpoint into a fresh network on the run's device and fine-tunes it. */
export async function fineTune(
  run: Run,
  checkpoint: string | URL,
  volume: LabelledVolume,
  epochs: number,
  onEpoch: (loss: number) => void,
): Promise<RunResult> {
  const state: StateDict = await loadStateDict(checkpoint);
  const model = new FaultNet();
  model.loadStateDict(state);
  model.to(run.device);
  const optimizer = new optim.Adam(model.parameters(), { lr: 2e-3 });
  const signal = volume.signal.to(run.device);
  const labels = volume.labels.to(run.device);
  const weight = tensor(CLASS_WEIGHTS, { device: run.device });

  const step = (): number => {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model.call(signal), labels, { weight });
    loss.backward();
    optimizer.step();
    return loss.item();
  };

  const losses: number[] = [];
  let trace: TraceEntry[] = [];
  const start = performance.now();
  for (let epoch = 0; epoch < epochs; epoch++) {
    if (epoch === 0) trace = strategies.trace(() => losses.push(forced(run, step)));
    else losses.push(forced(run, step));
    onEpoch(losses[epoch]);
    await new Promise(setImmediate); // lets the progress bar draw
  }
  return {
    losses,
    layers: byLayer(model, trace),
    model,
    seconds: (performance.now() - start) / 1000,
  };
}

function forced(run: Run, step: () => number): number {
  return run.strategy ? strategies.with({ conv3d: run.strategy }, step) : step();
}

/** Backward entries of a trace under the names of the modules on whose behalf they ran. */
function byLayer(model: FaultNet, trace: TraceEntry[]): Map<string, TraceEntry> {
  const names = new Map<object, string>(
    model.namedModules().map(([name, module]) => [module, name]),
  );
  const entries = trace.flatMap((entry): [string, TraceEntry][] => {
    const name = entry.site && names.get(entry.site);
    return name && entry.op === 'conv3d' ? [[name, entry]] : [];
  });
  // The backward walks from the last layer to the first.
  return new Map(entries.reverse());
}
