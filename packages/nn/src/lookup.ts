// What stands at a dotted path of a module, with PyTorch's words where nothing does.

import { argumentError } from '@voxgrad/core';
import type { Member, Module } from './module.js';

export function submoduleAt(root: Module, target: string): Module {
  if (target === '') return root;
  return target.split('.').reduce<Module>((module, name) => {
    const child = module.namedChildren().find(([known]) => known === name)?.[1];
    if (child) return child;
    if (name in module) throw argumentError(`\`${name}\` is not an nn.Module`);
    throw noAttribute(module, name);
  }, root);
}

/** The tensor at `target` among those that `own` lists; `what` says of which kind. */
export function memberAt<T>(
  root: Module,
  target: string,
  what: string,
  own: (module: Module) => readonly Member<T>[],
): T {
  const at = target.lastIndexOf('.');
  const module = root.getSubmodule(target.slice(0, Math.max(at, 0)));
  const name = target.slice(at + 1);
  const found = own(module).find((member) => member.name === name);
  if (found) return found.value;
  if (name in module) throw argumentError(`\`${name}\` is not ${what}`);
  throw noAttribute(module, name);
}

const noAttribute = (module: Module, name: string) =>
  argumentError(`${module.constructor.name} has no attribute \`${name}\``);
