// A run as one value to save: a dict that torch.load reads, with the keys of PyTorch's own examples.

import { StateDict, type Tensor } from '@voxgrad/core';
import type { EarlyStopping } from './early-stopping.js';
import { type History, packHistory, unpackHistory } from './history.js';
import type { FitOptions } from './options.js';
import type { EpochOrder } from './order.js';
import type { RandomStates } from './random-states.js';
import { countOf, fieldsOf, resumeError, tensorOf } from './read.js';

/** Written into checkpoints, and raised when older readers would misunderstand them. */
const VERSION = 1;

/** What changes while a run goes on. */
export interface RunState<B> {
  epoch: number;
  step: number;
  history: History;
  /** Losses of the epoch so far are in the history; its batches here. Undefined between epochs. */
  order: EpochOrder<B> | undefined;
}

/** The parts of a run that keep their own state. */
export interface Parts<B> {
  readonly options: FitOptions<B>;
  readonly random: RandomStates;
  readonly stopping: EarlyStopping | undefined;
  newOrder(): EpochOrder<B>;
}

export function packRun<B>(run: RunState<B>, parts: Parts<B>): object {
  const { model, optimizer, scheduler, stateful = {} } = parts.options;
  const [rng_state, ...generators] = parts.random.pack();
  return {
    fit_version: VERSION,
    epoch: run.epoch,
    step: run.step,
    model: model.stateDict(),
    optimizer: optimizer.stateDict(),
    ...(scheduler && { scheduler: scheduler.stateDict() }),
    rng_state,
    generators,
    ...(run.order && { data: run.order.pack() }),
    ...(parts.stopping && { early_stopping: parts.stopping.pack() }),
    stateful: Object.fromEntries(
      Object.entries(stateful).map(([name, part]) => [name, part.stateDict()]),
    ),
    history: packHistory(run.history),
  };
}

/** Goes on from `saved`: everything is taken over, or nothing where anything does not fit. */
export function unpackRun<B>(saved: unknown, parts: Parts<B>): RunState<B> {
  if (!(saved instanceof Map) || !saved.has('fit_version'))
    throw resumeError(
      'the file is no checkpoint of fit. Load weights with model.loadStateDict(await loadStateDict(path)), ' +
        'and write checkpoints under another name',
    );
  const fields = fieldsOf('checkpoint', saved);
  const version = fields.get('fit_version');
  if (version !== VERSION)
    throw resumeError(`it has version ${version}, and this program reads version ${VERSION}`);
  for (const [key, given] of [
    ['scheduler', parts.options.scheduler],
    ['early_stopping', parts.stopping],
  ] as const)
    if (fields.has(key) !== (given !== undefined))
      throw resumeError(
        fields.has(key)
          ? `it was written by a run with '${key}', which this one has not`
          : `it was written by a run without '${key}', which this one has`,
      );
  const run: RunState<B> = {
    epoch: countOf('epoch', fields.get('epoch')),
    step: countOf('step', fields.get('step')),
    history: unpackHistory(fields.get('history')),
    order: undefined,
  };
  if (fields.has('data')) {
    run.order = parts.newOrder();
    run.order.unpack(fields.get('data'));
  }
  takeOver(fields, parts);
  // Schedulers warn where no update came before them, and those were made in another process.
  parts.options.optimizer.stepCount = run.step;
  return run;
}

/** Loads the parts; what has been loaded is put back when a later one does not fit. */
function takeOver<B>(fields: Map<string, unknown>, parts: Parts<B>): void {
  const { model, optimizer, scheduler, stateful = {} } = parts.options;
  const states = fieldsOf('stateful', fields.get('stateful'));
  const undo: (() => void)[] = [];
  const loadPart = <S>(part: { stateDict(): S; loadStateDict(state: S): unknown }, state: S) => {
    const before = copied(part.stateDict());
    undo.push(() => part.loadStateDict(before));
    part.loadStateDict(state);
  };
  try {
    loadPart(model, tensorsOf('model', fields.get('model')));
    loadPart<object>(optimizer, fieldsOf('optimizer', fields.get('optimizer')));
    if (scheduler) loadPart<object>(scheduler, fieldsOf('scheduler', fields.get('scheduler')));
    for (const [name, part] of Object.entries(stateful)) {
      const state = states.get(name);
      if (typeof state !== 'object' || state === null)
        throw resumeError(`it holds no state of '${name}'; pass the same 'stateful' as before`);
      loadPart<unknown>(
        {
          stateDict: () => part.stateDict(),
          loadStateDict: (s) => part.loadStateDict(s as object),
        },
        state,
      );
    }
    parts.stopping?.unpack(fields.get('early_stopping'));
    const generators = fields.get('generators');
    parts.random.unpack('rng_state', [
      fields.get('rng_state'),
      ...(Array.isArray(generators) ? generators : []),
    ]);
  } catch (error) {
    for (const back of undo.reverse()) back();
    throw error;
  }
}

const tensorsOf = (name: string, value: unknown): StateDict => {
  if (value instanceof StateDict) return value;
  const entries = [...fieldsOf(name, value)];
  return new StateDict(
    entries.map(([key, item]): [string, Tensor] => [key, tensorOf(`${name}.${key}`, item)]),
  );
};

/** A state dict whose tensors nobody else writes to; other values are copied by their owners. */
function copied<S>(state: S): S {
  if (!(state instanceof StateDict)) return state;
  const copy = new StateDict([...state].map(([key, value]) => [key, value.clone()]));
  copy.metadata = state.metadata;
  return copy as S;
}
