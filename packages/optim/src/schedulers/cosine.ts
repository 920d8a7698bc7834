import { argumentError } from '@voxgrad/core';
import { withDefaults } from '../options.js';
import { checkWhole, LRScheduler, type Schedulable, type SchedulerOptions } from './scheduler.js';

/** SGDR (Loshchilov and Hutter, arXiv:1608.03983) without restarts: half a cosine in `TMax` epochs. */
export class CosineAnnealingLR extends LRScheduler {
  readonly TMax: number;
  readonly etaMin: number;

  constructor(
    optimizer: Schedulable,
    TMax: number,
    options: SchedulerOptions & { etaMin?: number } = {},
  ) {
    checkWhole('TMax', TMax);
    const o = withDefaults('CosineAnnealingLR', { etaMin: 0, lastEpoch: -1 }, options);
    super(optimizer, o);
    this.TMax = TMax;
    this.etaMin = o.etaMin;
    this.begin();
  }

  protected override getLr(): number[] {
    const { lastEpoch: epoch, TMax, etaMin } = this;
    const lrs = this.currentLrs();
    if (epoch === 0) return lrs;
    if (this._stepCount === 1) return this.closedFormLr();
    // The previous rate was etaMin, of which no ratio leads away.
    if ((epoch - 1 - TMax) % (2 * TMax) === 0)
      return lrs.map(
        (lr, i) => lr + ((this.baseLrs[i] - etaMin) * (1 - Math.cos(Math.PI / TMax))) / 2,
      );
    const height = (at: number) => 1 + Math.cos((Math.PI * at) / TMax);
    const ratio = height(epoch) / height(epoch - 1);
    return lrs.map((lr) => ratio * (lr - etaMin) + etaMin);
  }

  protected override closedFormLr(): number[] {
    const cosine = Math.cos((Math.PI * this.lastEpoch) / this.TMax);
    return this.baseLrs.map((lr) => this.etaMin + ((lr - this.etaMin) * (1 + cosine)) / 2);
  }
}

/** SGDR (arXiv:1608.03983): cosines that start again after T0, T0·TMult, T0·TMult², … epochs. */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  readonly T0: number;
  readonly TMult: number;
  readonly etaMin: number;
  /** Length of the current cosine. */
  TI: number;
  /** Epochs since it started. */
  TCur: number;

  constructor(
    optimizer: Schedulable,
    T0: number,
    options: SchedulerOptions & { TMult?: number; etaMin?: number } = {},
  ) {
    const { TMult, etaMin, lastEpoch } = withDefaults(
      'CosineAnnealingWarmRestarts',
      { TMult: 1, etaMin: 0, lastEpoch: -1 },
      options,
    );
    checkWhole('T_0', T0);
    if (!(Number.isInteger(TMult) && TMult >= 1))
      throw argumentError(`Expected integer T_mult >= 1, but got ${TMult}`);
    super(optimizer, { lastEpoch });
    this.T0 = T0;
    this.TI = T0;
    this.TMult = TMult;
    this.etaMin = etaMin;
    this.TCur = lastEpoch;
    this.begin();
  }

  protected override getLr(): number[] {
    const cosine = Math.cos((Math.PI * this.TCur) / this.TI);
    return this.baseLrs.map((lr) => this.etaMin + ((lr - this.etaMin) * (1 + cosine)) / 2);
  }

  /** On to the next epoch, or to any `epoch`, fractions included: `step(i + batch / batches)`. */
  override step(epoch?: number): void {
    if (epoch !== undefined && epoch < 0)
      throw argumentError(`Expected non-negative epoch, but got ${epoch}`);
    const at = epoch ?? (this.lastEpoch < 0 ? 0 : undefined);
    if (at === undefined) this.#advance();
    else this.#jump(at);
    this.lastEpoch = Math.floor(at ?? this.lastEpoch + 1);
    this.setLrs(this.getLr());
  }

  #advance(): void {
    this.TCur++;
    if (this.TCur < this.TI) return;
    this.TCur -= this.TI;
    this.TI *= this.TMult;
  }

  #jump(epoch: number): void {
    const { T0, TMult } = this;
    if (epoch < T0) {
      this.TI = T0;
      this.TCur = epoch;
    } else if (TMult === 1) this.TCur = epoch % T0;
    else {
      const restarts = Math.trunc(Math.log((epoch / T0) * (TMult - 1) + 1) / Math.log(TMult));
      this.TCur = epoch - (T0 * (TMult ** restarts - 1)) / (TMult - 1);
      this.TI = T0 * TMult ** restarts;
    }
  }
}
