import type { Module } from '@voxgrad/nn';

/** Every module with its dotted path; '' is the model itself. */
export const pathsOf = (model: Module): Map<Module, string> =>
  new Map(model.namedModules().map(([path, module]) => [module, path]));
