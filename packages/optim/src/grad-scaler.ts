import {
  argumentError,
  autogradError,
  type Device,
  describe,
  dtypeError,
  noGrad,
  Tensor,
} from '@voxgrad/core';
import type { Optimizer } from './optimizer.js';
import { withDefaults } from './options.js';
import { field, plain } from './plain.js';
import { checkOptimizer } from './schedulers/scheduler.js';

/** Options of {@link GradScaler}. */
export interface GradScalerOptions {
  initScale?: number;
  growthFactor?: number;
  backoffFactor?: number;
  /** Steps without overflow after which the scale grows. */
  growthInterval?: number;
  /** Without it every method passes through, so that one program serves both. */
  enabled?: boolean;
}

/** What {@link GradScaler} multiplies: a tensor, or a list of them. */
export type Scalable = Tensor | readonly Scalable[];

interface OptimizerRecord {
  stage: 'unscaled' | 'stepped';
  /** On each device whether any gradient was infinite or NaN. */
  readonly overflow: Map<Device, Tensor>;
  found?: boolean;
}

/**
 * Loss scaling (Micikevicius et al., arXiv:1710.03740): small gradients survive float16 when the loss
 * is multiplied by a large factor and the gradients are divided by it before the step. Steps with
 * infinite or NaN gradients are left out, and the scale shrinks; after a while without, it grows.
 */
export class GradScaler {
  readonly enabled: boolean;
  #scale: number;
  #growthFactor: number;
  #backoffFactor: number;
  #growthInterval: number;
  #growthTracker = 0;
  readonly #records = new Map<object, OptimizerRecord>();

  constructor(options: GradScalerOptions = {}) {
    const o = withDefaults<Required<GradScalerOptions>>(
      'GradScaler',
      {
        initScale: 65536,
        growthFactor: 2,
        backoffFactor: 0.5,
        growthInterval: 2000,
        enabled: true,
      },
      options,
    );
    if (!(o.growthFactor > 1)) throw argumentError('The growth factor must be > 1.0.');
    if (!(o.backoffFactor < 1)) throw argumentError('The backoff factor must be < 1.0.');
    this.enabled = o.enabled;
    this.#scale = Math.fround(o.initScale);
    this.#growthFactor = o.growthFactor;
    this.#backoffFactor = o.backoffFactor;
    this.#growthInterval = o.growthInterval;
  }

  /** The current factor; 1 when not enabled. */
  getScale(): number {
    return this.enabled ? this.#scale : 1;
  }

  /** Outputs, losses as a rule, times the scale. */
  scale<T extends Scalable>(outputs: T): T {
    if (!this.enabled) return outputs;
    const scaled = (value: unknown): Scalable => {
      if (value instanceof Tensor) return value.mul(this.#scale);
      if (Array.isArray(value)) return value.map(scaled);
      throw argumentError(
        `outputs must be a Tensor or a list of Tensors, but got ${describe(value)}`,
      );
    };
    return scaled(outputs) as T;
  }

  /** Divides the gradients of an optimizer by the scale, to clip them before `step`. */
  unscale_(optimizer: Optimizer<object>): void {
    checkOptimizer(optimizer);
    if (!this.enabled) return;
    const stage = this.#records.get(optimizer)?.stage;
    if (stage === 'unscaled')
      throw autogradError(
        'unscale_() has already been called on this optimizer since the last update().',
      );
    if (stage === 'stepped') throw autogradError('unscale_() is being called after step().');
    const gradients = optimizer.paramGroups
      .flatMap((group) => group.params)
      .map((p) => p.grad)
      .filter((g) => g !== null);
    if (gradients.some((g) => g.dtype === 'float16'))
      throw dtypeError('Attempting to unscale FP16 gradients.');
    if (gradients.length === 0)
      throw autogradError('No inf checks were recorded for this optimizer.');
    const inverse = Math.fround(1 / this.#scale);
    const overflow = new Map<Device, Tensor>();
    noGrad(() => {
      for (const g of gradients) {
        const here = g.isfinite().all().logicalNot();
        const before = overflow.get(g.device);
        overflow.set(g.device, before ? before.logicalOr(here) : here);
        g.mul_(inverse);
      }
    });
    this.#records.set(optimizer, { stage: 'unscaled', overflow });
  }

  /** `optimizer.step()` on unscaled gradients, unless one is infinite or NaN; says whether it ran. */
  step(optimizer: Optimizer<object>): boolean {
    const record = this.#beforeStep(optimizer);
    if (record) record.found ??= [...record.overflow.values()].some((x) => Boolean(x.item()));
    return this.#finishStep(optimizer, record);
  }

  /** `step` on devices that are read asynchronously. */
  async stepAsync(optimizer: Optimizer<object>): Promise<boolean> {
    const record = this.#beforeStep(optimizer);
    if (record) {
      const all = await Promise.all([...record.overflow.values()].map((x) => x.itemAsync()));
      record.found ??= all.some(Boolean);
    }
    return this.#finishStep(optimizer, record);
  }

  #beforeStep(optimizer: Optimizer<object>): OptimizerRecord | undefined {
    checkOptimizer(optimizer);
    if (!this.enabled) return undefined;
    if (this.#records.get(optimizer)?.stage === 'stepped')
      throw autogradError('step() has already been called since the last update().');
    if (!this.#records.has(optimizer)) this.unscale_(optimizer);
    return this.#records.get(optimizer);
  }

  #finishStep(optimizer: Optimizer<object>, record: OptimizerRecord | undefined): boolean {
    const runs = !record?.found;
    if (runs) optimizer.step();
    if (record) record.stage = 'stepped';
    return runs;
  }

  /** Adapts the scale, once all optimizers have stepped; or sets it. */
  update(newScale?: number): void {
    if (!this.enabled) return;
    if (newScale !== undefined && typeof newScale !== 'number')
      throw argumentError(
        `update(): expected a number for newScale, but got ${describe(newScale)}`,
      );
    if (newScale !== undefined) this.#scale = Math.fround(newScale);
    else this.#adapt();
    this.#records.clear();
  }

  #adapt(): void {
    const records = [...this.#records.values()];
    if (records.length === 0) throw autogradError('No inf checks were recorded prior to update.');
    const overflowed = records.some(
      (r) => r.found ?? [...r.overflow.values()].some((x) => Boolean(x.item())),
    );
    if (overflowed) {
      this.#scale = Math.fround(this.#scale * this.#backoffFactor);
      this.#growthTracker = 0;
    } else if (++this.#growthTracker === this.#growthInterval) {
      const grown = Math.fround(this.#scale * this.#growthFactor);
      if (Number.isFinite(grown)) this.#scale = grown;
      this.#growthTracker = 0;
    }
  }

  /** As torch.cuda.amp.GradScaler; empty when not enabled. */
  stateDict(): Record<string, number> {
    if (!this.enabled) return {};
    return {
      scale: this.#scale,
      growth_factor: this.#growthFactor,
      backoff_factor: this.#backoffFactor,
      growth_interval: this.#growthInterval,
      _growth_tracker: this.#growthTracker,
    };
  }

  loadStateDict(state: object): void {
    if (!this.enabled) return;
    if (typeof state !== 'object' || state === null)
      throw argumentError(
        `loadStateDict(): expected the state dict of a GradScaler, but got ${describe(state)}`,
      );
    const size = state instanceof Map ? state.size : Object.keys(state).length;
    if (size === 0)
      throw argumentError(
        'The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.',
      );
    const read = (key: string): number => {
      const value = plain(field(state, key));
      if (typeof value === 'number') return value;
      throw argumentError(`loadStateDict(): '${key}' of a GradScaler cannot be ${describe(value)}`);
    };
    const [scale, growth, backoff, interval, tracker] = [
      'scale',
      'growth_factor',
      'backoff_factor',
      'growth_interval',
      '_growth_tracker',
    ].map(read);
    this.#scale = Math.fround(scale);
    this.#growthFactor = growth;
    this.#backoffFactor = backoff;
    this.#growthInterval = interval;
    this.#growthTracker = tracker;
  }
}
