// The state of OneCycleLR and SWALR names its annealing curve by a bound method, which PyTorch 1.13
// pickles as `getattr(<the scheduler itself>, '_annealing_cos')`, with the optimizer and its
// parameters inside, and later versions as `getattr(<the class>, …)`. The curve is read as its name,
// and the objects are passed over. Nothing else of getattr is known here.

import { Buildable, type CallContext, PyGlobal, type PyValue } from './values.js';

/** An object that is recognised and never looked into. */
export class OpaqueObject extends Buildable {
  constructor(readonly className: string) {
    super();
  }

  /** What BUILD brings has been read as data like everything else, and is dropped. */
  build(): void {}
}

const opaqueClass = (name: string) => new PyGlobal(name, () => new OpaqueObject(name));

const SCHEDULERS = ['torch.optim.lr_scheduler.OneCycleLR', 'torch.optim.swa_utils.SWALR'] as const;

const OPTIMIZERS = [
  ...['Adadelta', 'Adagrad', 'Adam', 'Adamax', 'AdamW', 'ASGD', 'LBFGS', 'NAdam', 'RAdam'],
  ...['RMSprop', 'Rprop', 'SGD'],
].map((name) => `torch.optim.${name.toLowerCase()}.${name}`);

const CURVES: ReadonlySet<PyValue | undefined> = new Set([
  ...['_annealing_cos', '_annealing_linear', '_cosine_anneal', '_linear_anneal'],
]);

function getattr([owner, name]: readonly PyValue[], context: CallContext): PyValue {
  const className =
    owner instanceof OpaqueObject
      ? owner.className
      : owner instanceof PyGlobal
        ? owner.name
        : undefined;
  if (!SCHEDULERS.some((known) => known === className) || !CURVES.has(name))
    throw context.error(
      'calls getattr, of which only the annealing curves of OneCycleLR and SWALR are read',
    );
  return new PyGlobal(`${className}.${String(name)}`);
}

export const SCHEDULER_GLOBALS: readonly PyGlobal[] = [
  new PyGlobal('builtins.getattr', getattr),
  ...[...SCHEDULERS, ...OPTIMIZERS].map(opaqueClass),
];
