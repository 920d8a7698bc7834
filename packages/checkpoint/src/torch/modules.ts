// The state dict of a pickled module, put together from the parts that its pickle holds: an
// `nn.Module` keeps `_parameters`, `_buffers` and `_modules` in its `__dict__` (torch/nn/modules/
// module.py); an object of a TorchScript program keeps tensors and submodules under their names.

import { CheckpointError } from '../error.js';
import { MAX_DEPTH } from '../value.js';
import { InertObject, PyDict, PySet, type PyValue, TensorRef, Unsupported } from './values.js';

/** Modules within modules, over all paths: shared ones could multiply without end. */
const MAX_ENTRIES = 1_000_000;
const MAX_NAME_CHARACTERS = 32 * 2 ** 20;

/** What TorchScript calls its classes. */
const SCRIPT_CLASS = '__torch__.';

export const isScript = (object: InertObject): boolean => object.className.startsWith(SCRIPT_CLASS);

export const isModule = (object: InertObject): boolean =>
  isScript(object) || dictIn(object, '_parameters') !== undefined;

/** The attributes of a module; torch.fx passes them as the first argument of a function. */
function attributesOf(object: InertObject): ReadonlyMap<PyValue, PyValue> {
  const [first] = object.args;
  return object.attributes.size === 0 && first instanceof PyDict
    ? first.entries
    : object.attributes;
}

function dictIn(object: InertObject, name: string): ReadonlyMap<PyValue, PyValue> | undefined {
  const value = attributesOf(object).get(name);
  return value instanceof PyDict ? value.entries : undefined;
}

/** The tensors of `module` under PyTorch's keys, in PyTorch's order. */
export function stateDictOf(module: InertObject): Map<string, PyValue> {
  const walk = new Walk();
  walk.visit(module, '', 0);
  return walk.found;
}

class Walk {
  readonly found = new Map<string, PyValue>();
  #entries = 0;
  #characters = 0;

  visit(module: InertObject, prefix: string, depth: number): void {
    if (depth > MAX_DEPTH) throw limit(`modules are nested more than ${MAX_DEPTH} deep`);
    const children = isScript(module)
      ? this.#ofScript(module, prefix)
      : this.#ofModule(module, prefix);
    for (const [name, child] of children) this.visit(child, `${prefix}${name}.`, depth + 1);
  }

  #ofModule(module: InertObject, prefix: string): [string, InertObject][] {
    const passing = attributesOf(module).get('_non_persistent_buffers_set');
    const skipped = new Set(passing instanceof PySet ? passing.items : []);
    for (const group of ['_parameters', '_buffers'])
      for (const [name, value] of dictIn(module, group) ?? [])
        if (group === '_parameters' || !skipped.has(name)) this.#keep(prefix, name, value);
    return this.#children(dictIn(module, '_modules') ?? new Map(), prefix);
  }

  #ofScript(module: InertObject, prefix: string): [string, InertObject][] {
    for (const [name, value] of module.attributes) this.#keep(prefix, name, value);
    return this.#children(module.attributes, prefix);
  }

  #children(entries: ReadonlyMap<PyValue, PyValue>, prefix: string): [string, InertObject][] {
    const children: [string, InertObject][] = [];
    for (const [name, child] of entries) {
      this.#pay(0);
      if (typeof name === 'string' && child instanceof InertObject && isModule(child)) {
        this.#pay(prefix.length + name.length);
        children.push([name, child]);
      }
    }
    return children;
  }

  #keep(prefix: string, name: PyValue, value: PyValue): void {
    this.#pay(0);
    if (typeof name !== 'string') return;
    if (!(value instanceof TensorRef || value instanceof Unsupported)) return;
    this.#pay(prefix.length + name.length);
    this.found.set(prefix + name, value);
  }

  #pay(characters: number): void {
    this.#entries++;
    this.#characters += characters;
    if (this.#entries > MAX_ENTRIES || this.#characters > MAX_NAME_CHARACTERS)
      throw limit('the modules of a pickled model name more tensors than an honest file does');
  }
}

const limit = (text: string) => new CheckpointError('LIMIT', text);

/** What to do with a file that holds `module` rather than its state dict. */
export function moduleAdvice(module: InertObject): { what: string; advice: string } {
  const [what, save] = isScript(module)
    ? ['a TorchScript program', 'torch.save(torch.jit.load(path).state_dict(), other)']
    : [
        `a pickled module of the Python class ${JSON.stringify(module.className)}`,
        'torch.save(model.state_dict(), path)',
      ];
  return {
    what,
    advice:
      `Save its weights in Python: ${save}. Or read the tensors that it holds, without running ` +
      "anything of it: load(…, { pickledModules: 'tensors' })",
  };
}
