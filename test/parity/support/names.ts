// The public names of PyTorch: which voxgrad has, which it has otherwise, and why it lacks others.

import * as vg from 'voxgrad';
import { readJson } from '../../../packages/core/test/fixtures.js';
import { cases } from './cases.js';
import { DIFFERENT, MISSING, type Reason } from './reasons.js';

/** Names that stand for one reason. */
export interface Group {
  readonly reason: string;
  readonly names: readonly string[];
}

export interface Namespace {
  readonly title: string;
  /** Names that voxgrad has, as it writes them: those with rows that compare them, and others. */
  readonly compared: readonly string[];
  readonly uncompared: readonly string[];
  /** What does the work of a name here, where that is not the same name. */
  readonly different: readonly Group[];
  readonly missing: readonly Group[];
}

const camel = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const rows = new Set(cases.flatMap((c) => [c.path, ...(c.wrap ? [c.wrap[0]] : [])]));

const reasonOf = (reasons: readonly Reason[], name: string) =>
  reasons.find(([pattern]) => pattern.test(name))?.[1];

function grouped(entries: readonly (readonly [name: string, reason: string])[]): Group[] {
  const reasons = [...new Set(entries.map(([, reason]) => reason))].sort();
  return reasons.map((reason) => ({
    reason,
    names: entries.filter(([, other]) => other === reason).map(([name]) => name),
  }));
}

interface Place {
  readonly title: string;
  readonly torch: readonly string[];
  /** What a name is called here; undefined where there is nothing of that name. */
  find(name: string): string | undefined;
  readonly different?: readonly Reason[];
}

/** Whether a row calls it, perhaps as the same function in F. */
const hasRow = (path: string): boolean =>
  rows.has(path) || (rows.has(`F.${path}`) && Reflect.get(vg, path) === Reflect.get(vg.F, path));

function namespace({ title, torch, find, different = [] }: Place): Namespace {
  const present: string[] = [];
  const otherwise: [string, string][] = [];
  const absent: [string, string][] = [];
  for (const name of torch) {
    const instead = reasonOf(different, name);
    const found = find(name);
    if (instead !== undefined) otherwise.push([name, instead]);
    else if (found !== undefined) present.push(found);
    else absent.push([name, reasonOf(MISSING, name) ?? '']);
  }
  return {
    title,
    compared: present.filter(hasRow),
    uncompared: present.filter((path) => !hasRow(path)),
    different: grouped(otherwise),
    missing: grouped(absent),
  };
}

const names =
  readJson<
    Record<
      | 'nn'
      | 'functional'
      | 'Module'
      | 'utils'
      | 'parametrize'
      | 'parametrizations'
      | 'top'
      | 'Tensor',
      string[]
    >
  >('torch_names');
const tensor = vg.tensor([1]);
const module = new vg.nn.Identity();
const inside = (holder: object, path: string, shown = path) => (path in holder ? shown : undefined);

export const namespaces: readonly Namespace[] = [
  namespace({
    title: 'torch.nn',
    torch: names.nn,
    find: (name) => inside(vg.nn, name, `nn.${name}`),
  }),
  namespace({
    title: 'torch.nn.functional',
    torch: names.functional,
    find: (name) => inside(vg.F, camel(name), `F.${camel(name)}`),
  }),
  namespace({
    title: 'torch.nn.Module',
    torch: names.Module,
    find: (name) => inside(module, camel(name), `Module.${camel(name)}`),
    different: DIFFERENT.Module,
  }),
  namespace({
    title: 'torch.nn.utils',
    torch: names.utils,
    find: (name) => inside(vg.nn.utils, camel(name), `nn.utils.${camel(name)}`),
  }),
  namespace({
    title: 'torch.nn.utils.parametrize',
    torch: names.parametrize,
    find: (name) =>
      inside(vg.nn.utils.parametrize, camel(name), `nn.utils.parametrize.${camel(name)}`),
  }),
  namespace({
    title: 'torch.nn.utils.parametrizations',
    torch: names.parametrizations,
    find: () => undefined,
    different: DIFFERENT.parametrizations,
  }),
  namespace({
    title: 'torch.Tensor',
    torch: names.Tensor,
    find: (name) => inside(tensor, camel(name)),
    different: DIFFERENT.Tensor,
  }),
  namespace({
    title: 'torch',
    torch: names.top,
    find: (name) => inside(vg, camel(name)),
    different: DIFFERENT.top(
      (name) => camel(name) in vg.F,
      (name) => camel(name) in tensor,
      (name) => camel(name) in vg,
    ),
  }),
];
