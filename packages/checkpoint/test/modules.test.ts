// Whole pickled modules and TorchScript programs: recognised, with what to do instead, and their
// tensors on request.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDict } from '@voxgrad/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inspect, load, loadStateDict, type Unreadable } from '../src/index.js';
import {
  bytes,
  expectFailure,
  mapIn,
  py,
  python,
  runPython,
  stopPython,
  tensorIn,
  torchFile,
} from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

if (python === undefined)
  console.warn('PyTorch is not installed (apt-get install python3-torch): its tests are skipped');

/** Parameters, buffers (one not persistent), a module twice, tied weights. */
const WRITE = `
import sys, torch
from torch import nn
folder = sys.argv[1] + "/"
# In a file of its own: TorchScript reads the source, and pickle the module's name.
open(folder + "blocks.py", "w").write("""
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 2, 3)
        self.norm = nn.BatchNorm3d(2)
        self.register_buffer("scale", torch.ones(2))
        self.register_buffer("scratch", torch.ones(3), persistent=False)
    def forward(self, x):
        return self.norm(self.conv(x))
""")
sys.path.insert(0, folder)
from blocks import Block
torch.manual_seed(0)
block = Block()
model = nn.Sequential(block, nn.ReLU(), block, nn.Linear(2, 2))
for zip in (True, False):
    torch.save(model, folder + f"model{zip}.pt", _use_new_zipfile_serialization=zip)
torch.save({"model": nn.DataParallel(model), "epoch": 3}, folder + "wrapped.pt")
torch.save(model.state_dict(), folder + "state.pt")
graph = torch.fx.symbolic_trace(model)
torch.save(graph, folder + "graph.pt")
torch.save(graph.state_dict(), folder + "graph_state.pt")
programs = {"script": torch.jit.script(model),
            "trace": torch.jit.trace(model[:1].eval(), torch.ones(1, 1, 4, 4, 4))}
for name, program in programs.items():
    torch.jit.save(program, folder + name + ".pt")
    torch.save(torch.jit.load(folder + name + ".pt").state_dict(), folder + name + "_state.pt")
`;

describe.skipIf(python === undefined)('what PyTorch wrote', () => {
  // PyTorch takes seconds to start and to compile the programs.
  beforeAll(() => runPython(WRITE, folder), 120_000);

  const expectSame = (dict: StateDict, twin: StateDict) => {
    expect([...dict.keys()].sort()).toEqual([...twin.keys()].sort());
    for (const [name, tensor] of twin) {
      const other = tensorIn(dict.get(name));
      expect([other.dtype, other.shape]).toEqual([tensor.dtype, tensor.shape]);
      expect(other.dataSync()).toEqual(tensor.dataSync());
    }
  };

  test.each(['modelTrue.pt', 'modelFalse.pt', 'script.pt', 'trace.pt', 'graph.pt'])(
    '%s is refused with what to do, and gives its tensors on request',
    async (name) => {
      const advice =
        name.startsWith('m') || name.startsWith('g')
          ? /a pickled module of the Python class.*torch\.save\(model\.state_dict\(\), path\).*pickledModules: 'tensors'/
          : /a TorchScript program.*torch\.jit\.load\(path\)\.state_dict\(\).*pickledModules: 'tensors'/;
      await expectFailure(load(file(name)), 'REFUSED', advice);
      await expectFailure(loadStateDict(file(name)), 'REFUSED', advice);

      const twin = await loadStateDict(
        file(name.startsWith('m') ? 'state.pt' : name.replace('.pt', '_state.pt')),
      );
      const options = { pickledModules: 'tensors' } as const;
      const dict = await loadStateDict(file(name), options);
      expectSame(dict, twin);
      expect(await load(file(name), options)).toBeInstanceOf(StateDict);
      const { tensors, stateDictPrefix } = await inspect(file(name));
      expect(tensors.map((tensor) => tensor.name).sort()).toEqual([...twin.keys()].sort());
      expect(stateDictPrefix).toBe('');
    },
  );

  test('the order is that of state_dict()', async () => {
    const dict = await loadStateDict(file('modelTrue.pt'), { pickledModules: 'tensors' });
    expect([...dict.keys()]).toEqual([...(await loadStateDict(file('state.pt'))).keys()]);
    expect(dict.get('0.conv.weight')).toBe(dict.get('2.conv.weight'));
    expect(dict.get('0.conv.weight')?.requiresGrad).toBe(true);
  });

  test('in a checkpoint, the module is reported and the rest is read', async () => {
    const reported: Unreadable[] = [];
    const all = await load(file('wrapped.pt'), { onUnreadable: (entry) => reported.push(entry) });
    expect(all).toEqual(new Map([['epoch', 3]]));
    expect(reported).toEqual([
      { name: 'model', unreadable: expect.stringContaining('DataParallel') },
    ]);
    const message = /holds a pickled module.*DataParallel/;
    await expectFailure(loadStateDict(file('wrapped.pt')), 'REFUSED', message);
    const dict = await loadStateDict(file('wrapped.pt'), {
      pickledModules: 'tensors',
      stripPrefixes: true,
      only: ['module.3.bias'],
    });
    expect([...dict.keys()]).toEqual(['3.bias']);
    const { tensors } = await inspect(file('wrapped.pt'));
    expect(tensors[0].name).toBe('model.module.0.scale');
  });
});

describe('made to do harm', () => {
  const object = bytes('cm\nM\n)', 0x81);
  /** A module whose only child is the value with this memo number, under two names. */
  const twice = (child: number) =>
    bytes(
      object,
      '}(',
      py.text('_parameters'),
      '}',
      py.text('_modules'),
      bytes('}(', py.text('a'), 'h', child, py.text('b'), 'h', child, 'u'),
      'ub',
    );

  test('modules shared at every level do not multiply', async () => {
    const levels = Array.from({ length: 60 }, (_, i) => bytes(twice(i), 'q', i + 1, '0'));
    const leaf = bytes(object, '}', py.text('_parameters'), '}sbq', 0, '0');
    const pickle = py.pickle(bytes(leaf, ...levels, 'h', 60));
    await expectFailure(
      inspect(await torchFile(pickle)),
      'LIMIT',
      /name more tensors than an honest file/,
    );
  });

  test('a module within itself ends', async () => {
    const cycle = bytes(
      object,
      'q',
      0,
      '}(',
      py.text('_parameters'),
      '}',
      py.text('_modules'),
      '}',
      py.text('a'),
      'h',
      0,
      's',
      'ub',
    );
    const pickle = await torchFile(py.pickle(cycle));
    await expectFailure(inspect(pickle), 'LIMIT', /nested more than 512 deep/);
  });

  test('names that are those of JavaScript objects are just names', async () => {
    const tensor = py.call(
      py.name('torch._utils', '_rebuild_tensor'),
      py.storage('FloatStorage', '0', 1),
      py.int(0),
      py.ints(1),
      py.ints(1),
    );
    const module = bytes(
      object,
      '}',
      py.text('_parameters'),
      bytes('}(', py.text('__proto__'), tensor, py.text('constructor'), tensor, 'u'),
      'sb',
    );
    const data = { 0: new Uint8Array(4) };
    const dict = mapIn(
      await load(await torchFile(py.pickle(module), data), { pickledModules: 'tensors' }),
    );
    expect([...dict.keys()]).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
