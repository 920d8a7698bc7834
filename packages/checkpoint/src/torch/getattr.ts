// A bound method is pickled as `getattr(<the object>, 'name')`, a nested class likewise. The state of
// OneCycleLR and SWALR names its annealing curve so: in PyTorch 1.13 with the scheduler itself as the
// object, and with it the optimizer and its parameters; later with the class. What is read is the
// name, and the objects are passed over.

import { InertObject, PyGlobal, type PyValue, UnknownGlobal } from './values.js';

const SCHEDULERS = ['torch.optim.lr_scheduler.OneCycleLR', 'torch.optim.swa_utils.SWALR'];

const CURVES: ReadonlySet<PyValue | undefined> = new Set([
  ...['_annealing_cos', '_annealing_linear', '_cosine_anneal', '_linear_anneal'],
]);

/** Nested classes have short names; chains of calls could make them endless. */
const MAX_NAME = 1000;

export const GETATTR = new PyGlobal('builtins.getattr', ([owner, name], context) => {
  const className =
    owner instanceof InertObject
      ? owner.className
      : owner instanceof PyGlobal
        ? owner.name
        : undefined;
  if (className === undefined || typeof name !== 'string')
    throw context.error('calls getattr of something other than an object and a name');
  const full = `${className}.${name}`;
  if (full.length > MAX_NAME) throw context.error(`a name of ${full.length} characters`);
  if (SCHEDULERS.includes(className) && CURVES.has(name)) return new PyGlobal(full);
  const attribute = new UnknownGlobal(full, context.where);
  return owner instanceof InertObject ? new InertObject(attribute, []) : attribute;
});
