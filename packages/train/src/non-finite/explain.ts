// Where NaN or infinity began. Nothing here runs while training is well: a loss or gradient norm that is
// not finite has been seen, and the batches of that update run again under observation.

import { type Tensor, Tensor as TensorClass } from '@voxgrad/core';
import type { Module } from '@voxgrad/nn';
import type { Position } from '../options.js';
import { pathsOf } from '../paths.js';
import { count, type Elements, read } from './elements.js';
import { NonFiniteError, type Origin } from './error.js';
import { type Value, Watch } from './watch.js';

interface Case<D extends { readonly batch: unknown }> {
  readonly model: Module;
  readonly optimizer: object;
  readonly position: Position;
  readonly found: { readonly loss: number; readonly gradNorm: number };
  readonly group: readonly D[];
  /** The loss of a batch again, from the same random numbers. */
  readonly rerun: (done: D) => Tensor;
}

/** What to try, by operation. */
const ADVICE: Readonly<Record<string, string>> = {
  log: 'Keep its input above 0: add a small number, clamp, or use a loss that takes logits',
  log2: 'Keep its input above 0: add a small number or clamp',
  log10: 'Keep its input above 0: add a small number or clamp',
  sqrt: 'Keep its input above 0, where its derivative is finite: add a small number',
  rsqrt: 'Keep its input above 0: add a small number',
  norm: 'Its derivative at 0 is not finite: add a small number before',
  div: 'Keep the divisor away from 0: add a small number',
  reciprocal: 'Keep its input away from 0: add a small number',
  pow: 'Keep the base above 0, or the exponent whole',
  exp: 'Subtract the largest value before, or use softmax, logsumexp or softplus',
};

const OVERFLOW =
  'Lower the learning rate, clip gradients with clipGradNorm, or normalise the input';

/** Runs a step again and says where its numbers stopped being finite. */
export async function explainNonFinite<D extends { readonly batch: unknown }>(
  given: Case<D>,
): Promise<NonFiniteError> {
  const { model, optimizer, position, group, rerun, found } = given;
  const bad = await badParameter(model);
  if (bad) return parameterError(optimizer, position, bad);
  const what = Number.isFinite(found.loss)
    ? `the norm of the gradients is ${found.gradNorm} (the loss is ${found.loss})`
    : `the loss is ${found.loss}`;
  const names = new Namer(model);
  // Running means and the like are counted once for each batch.
  const buffers = model.buffers().map((buffer) => ({ buffer, before: buffer.clone() }));
  for (const done of group) {
    const watch = new Watch();
    const loss = watch.run(() => rerun(done));
    const origin =
      (await forwardOrigin(watch, loss, names, done.batch)) ?? (await backwardOrigin(watch, names));
    if (!origin) continue;
    for (const { buffer, before } of buffers) buffer.detach().copy_(before);
    const at = { step: position.step + 1, epoch: position.epoch };
    return new NonFiniteError(`${what} in step ${at.step} (epoch ${at.epoch}). ${origin.text}`, {
      ...origin.origin,
      ...at,
    });
  }
  return new NonFiniteError(
    `${what} in step ${position.step + 1} (epoch ${position.epoch}), although every operation of the step ` +
      `returned finite numbers: their squares or their sum are too large for the dtype. ${OVERFLOW}`,
    {
      phase: 'backward',
      module: null,
      operation: 'norm',
      step: position.step + 1,
      epoch: position.epoch,
    },
  );
}

/** Throws where a parameter is not finite: the last update made it so, since no gradient was. */
export async function checkParameters(
  model: Module,
  optimizer: object,
  position: Position,
): Promise<void> {
  const bad = await badParameter(model);
  if (bad) throw parameterError(optimizer, position, bad);
}

type Found = { readonly origin: Omit<Origin, 'step' | 'epoch'>; readonly text: string };

interface BadParameter {
  readonly name: string;
  readonly elements: Elements;
}

async function badParameter(model: Module): Promise<BadParameter | undefined> {
  const named = model.namedParameters().map(([name, value]) => ({ name, counted: count(value) }));
  for (const { name, counted } of named) {
    const elements = await read(counted);
    if (elements && elements.bad > 0) return { name, elements };
  }
  return undefined;
}

function parameterError(
  optimizer: object,
  position: Position,
  { name, elements }: BadParameter,
): NonFiniteError {
  const module = name.split('.').slice(0, -1).join('.');
  const { step, epoch } = position;
  const which = `parameter '${name}' (${described(elements)})`;
  if (step === 0)
    return new NonFiniteError(`${which} was not finite before the first step`, {
      phase: 'parameter',
      module,
      operation: name,
      step: 1,
      epoch,
    });
  const kind = optimizer.constructor.name;
  return new NonFiniteError(
    `${which} is not finite after the update of step ${step} (epoch ${epoch}) by ${kind}, whose gradients ` +
      "were finite. Lower the learning rate, or raise the optimizer's eps",
    { phase: 'optimizer', module, operation: `${kind}.step`, step, epoch },
  );
}

/** From the loss back along what is not finite, to the operation whose inputs all were. */
async function forwardOrigin(
  watch: Watch,
  loss: Tensor,
  names: Namer,
  batch: unknown,
): Promise<Found | undefined> {
  let value = watch.valueOf(loss);
  let elements = await read(value.elements);
  if (!elements || elements.bad === 0) return undefined;
  /** The operation in which NaN first appears, going forward. */
  let turned: Value | undefined;
  let taker: Value | undefined;
  for (;;) {
    if (elements.nan > 0) turned = value;
    const from = await firstBad(value.made?.inputs ?? []);
    if (!from) break;
    taker = value;
    ({ value, elements } = from);
  }
  if (elements.nan > 0) turned = undefined;
  const { made } = value;
  if (!made) return leafOrigin(value, taker, elements, names, batch);
  const inputs = await Promise.all(made.inputs.map((input) => read(input.elements)));
  const later = turned?.made
    ? ` They became NaN in the forward of ${names.operation(turned.made)}.`
    : '';
  return {
    origin: { phase: 'forward', module: names.path(made.site), operation: made.operation },
    text:
      `It began in the forward of ${names.operation(made)}: ${described(elements)}, from ` +
      `${inputs
        .filter((input) => input !== undefined)
        .map(range)
        .join(' and ')}.${later} ${adviceFor(made.operation)}`,
  };
}

async function firstBad(
  values: readonly Value[],
): Promise<{ value: Value; elements: Elements } | undefined> {
  for (const value of values) {
    const elements = await read(value.elements);
    if (elements && elements.bad > 0) return { value, elements };
  }
  return undefined;
}

function leafOrigin(
  { tensor }: Value,
  taker: Value | undefined,
  elements: Elements,
  names: Namer,
  batch: unknown,
): Found {
  const by = taker?.made ? `, which the forward of ${names.operation(taker.made)} took` : '';
  const found = (module: string | null, operation: string, which: string, advice = ''): Found => ({
    origin: { phase: 'input', module, operation },
    text: `It began in ${which}${by}: ${described(elements)}.${advice}`,
  });
  const buffer = names.buffer(tensor);
  if (buffer !== undefined)
    return found(
      buffer.split('.').slice(0, -1).join('.'),
      buffer,
      `buffer '${buffer}' of the model`,
    );
  const place = placeIn(batch, tensor);
  if (place === undefined) {
    const constant = 'a constant that the step did not compute';
    return found(names.path(taker?.made?.site), 'constant', constant);
  }
  const which = `the batch${place}`;
  return found(null, which, which, ' Look for it in the data or its transform.');
}

async function backwardOrigin(watch: Watch, names: Namer): Promise<Found | undefined> {
  for (const rule of watch.rules)
    for (const [i, counted] of rule.gradients.entries()) {
      const elements = await read(counted);
      if (!elements || elements.bad === 0) continue;
      return {
        origin: { phase: 'backward', module: names.path(rule.site), operation: rule.operation },
        text:
          `It began in the backward of ${names.operation(rule)}: ${described(elements)} in the gradient ` +
          `of its input ${i}. ${adviceFor(rule.operation)}`,
      };
    }
  return undefined;
}

const adviceFor = (operation: string): string =>
  `${ADVICE[operation.replace(/_$/, '')] ?? OVERFLOW}.`;

/** `3 of 512 elements are NaN`, `2 of 8 elements are NaN or infinite` */
function described({ bad, nan, total }: Elements): string {
  const kind = nan === bad ? 'NaN' : nan === 0 ? 'infinite' : 'NaN or infinite';
  if (total === 1) return `it is ${kind}`;
  return `${bad} of ${total} elements ${bad === 1 ? 'is' : 'are'} ${kind}`;
}

const number = (x: number): string => String(Number(x.toPrecision(4)));
const range = ({ low, high }: Elements): string =>
  low === high ? number(low) : `[${number(low)}, ${number(high)}]`;

/** Modules and tensors by name. */
class Namer {
  readonly #paths: Map<object, string>;
  readonly #buffers: Map<object, string>;

  constructor(model: Module) {
    this.#paths = pathsOf(model);
    this.#buffers = new Map(model.namedBuffers().map(([name, { storage }]) => [storage, name]));
  }

  path(site: object | undefined): string | null {
    return (site && this.#paths.get(site)) ?? null;
  }

  buffer(tensor: Tensor): string | undefined {
    return this.#buffers.get(tensor.storage);
  }

  operation({ operation, site }: { operation: string; site: object | undefined }): string {
    const path = this.path(site);
    if (path === null || site === undefined)
      return `'${operation}' (outside of the model, in the loss)`;
    const kind = site.constructor.name;
    return path === ''
      ? `'${operation}' in the model (${kind})`
      : `'${operation}' in module '${path}' (${kind})`;
  }
}

/** Where in a batch a tensor is: `.image`, `[0]`; '' for the batch itself. */
function placeIn(batch: unknown, tensor: Tensor, seen = new Set<unknown>()): string | undefined {
  if (batch instanceof TensorClass) return batch.storage === tensor.storage ? '' : undefined;
  if (typeof batch !== 'object' || batch === null || seen.has(batch)) return undefined;
  seen.add(batch);
  const entries = batch instanceof Map ? [...batch] : Object.entries(batch);
  for (const [key, item] of entries) {
    const place = placeIn(item, tensor, seen);
    if (place !== undefined) return `${Array.isArray(batch) ? `[${key}]` : `.${key}`}${place}`;
  }
  return undefined;
}
