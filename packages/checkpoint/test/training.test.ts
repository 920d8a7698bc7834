// What training scripts put into checkpoints beside tensors, as PyTorch and Python pickle it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDict } from '@voxgrad/core';
import { afterAll, describe, expect, test } from 'vitest';
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

describe.skipIf(python === undefined)('Python writes, and it is read', () => {
  const writes = async (name: string, body: string): Promise<string> => {
    await runPython(`import sys, torch\n${body}`, file(name));
    return file(name);
  };

  test.each([2, 3, 4, 5])('a whole training checkpoint, protocol %i', async (protocol) => {
    const path = await writes(
      `whole${protocol}.pt`,
      `
import argparse, collections, datetime, pathlib, random, types
random.seed(1); torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv3d(1, 2, 3), torch.nn.BatchNorm3d(2))
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(1, 1, 4, 4, 4)).sum().backward(); optimizer.step()
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4, 4])
x = {
    "epoch": 7, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
    "scheduler": scheduler.state_dict(), "rng": torch.get_rng_state(), "python": random.getstate(),
    "args": argparse.Namespace(lr=0.1, nested=argparse.Namespace(depth=3), names=["a", "b"],
                               simple=types.SimpleNamespace(x=1)),
    "paths": [pathlib.PurePosixPath("/data/run"), pathlib.PurePosixPath("a/b"),
              pathlib.PurePosixPath("."), pathlib.PureWindowsPath("C:/x/y"), pathlib.Path("/")],
    "times": [datetime.datetime(2024, 2, 29, 13, 5, 9), datetime.datetime(2024, 1, 2, 3, 4, 5, 67),
              datetime.date(1999, 12, 31), datetime.time(23, 59), datetime.timedelta(days=1, seconds=2, microseconds=500000),
              datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5, minutes=-30)))],
    "queue": collections.deque([1, 2], maxlen=5), "counter": collections.Counter("aab"),
    "default": collections.defaultdict(list, {"a": [1]}), "ordered": collections.OrderedDict(a=1),
    "set": {1}, "frozen": frozenset([2]), "size": torch.Size([1, 2]), "dtype": torch.float16,
    "device": torch.device("cuda", 1), "layout": torch.strided,
    ("tuple", 1): "key", "none": None, "loss": 0.5, "big": 2**70,
}
torch.save(x, sys.argv[1], pickle_protocol=${protocol})`,
    );
    const all = mapIn(await load(path));
    expect(all.get('epoch')).toBe(7);
    expect(all.get('model')).toBeInstanceOf(StateDict);
    const state = mapIn(mapIn(mapIn(all.get('optimizer')).get('state')).get(0));
    expect(tensorIn(state.get('exp_avg')).shape).toEqual([2, 1, 3, 3, 3]);
    expect(mapIn(all.get('scheduler')).get('milestones')).toEqual(
      new Map([
        [2, 1],
        [4, 2],
      ]),
    );
    const rng = tensorIn(all.get('rng'));
    expect([rng.dtype, rng.shape]).toEqual(['uint8', [5056]]);
    const [version, words, cached] = all.get('python') as [number, number[], null];
    expect([version, words.length, cached]).toEqual([3, 625, null]);
    expect(all.get('args')).toEqual(
      new Map<string, unknown>([
        ['lr', 0.1],
        ['nested', new Map([['depth', 3]])],
        ['names', ['a', 'b']],
        ['simple', new Map([['x', 1]])],
      ]),
    );
    expect(all.get('paths')).toEqual(['/data/run', 'a/b', '.', 'C:\\x\\y', '/']);
    expect(all.get('times')).toEqual([
      '2024-02-29T13:05:09',
      '2024-01-02T03:04:05.000067',
      '1999-12-31',
      '23:59:00',
      86402.5,
      '2024-01-01T00:00:00-05:30',
    ]);
    expect(all.get('queue')).toEqual([1, 2]);
    expect(all.get('counter')).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    expect(all.get('default')).toEqual(new Map([['a', [1]]]));
    expect(all.get('ordered')).toEqual(new Map([['a', 1]]));
    expect([all.get('set'), all.get('frozen')]).toEqual([new Set([1]), new Set([2])]);
    expect(['size', 'dtype', 'device', 'layout'].map((key) => all.get(key))).toEqual([
      [1, 2],
      'float16',
      'cuda:1',
      'torch.strided',
    ]);
    expect(all.get("('tuple', 1)")).toBe('key');
    expect([all.get('none'), all.get('loss'), all.get('big')]).toEqual([null, 0.5, 2n ** 70n]);

    const { tensors, outline, stateDictPrefix } = await inspect(path);
    expect(stateDictPrefix).toBe('model.');
    expect(tensors.map(({ name }) => name)).toContain('optimizer.state.0.exp_avg');
    expect(outline?.slice(0, 3)).toEqual([
      { key: 'epoch', holds: 'a number' },
      { key: 'model', holds: 'a dict of 7' },
      { key: 'optimizer', holds: 'a dict of 2' },
    ]);
    expect(JSON.parse(JSON.stringify(outline))).toEqual(outline);
  });

  test('objects of unknown classes are left out by name, with what they hold', async () => {
    const path = await writes(
      'objects.pt',
      `
import enum, functools
main = sys.modules["__main__"]
class Config:
    def __init__(self): self.lr = 0.1; self.weight = torch.ones(3)
class Mode(enum.Enum): TRAIN = 1
class Options(dict): pass
class Items(list): pass
for c in (Config, Mode, Options, Items):
    c.__module__ = "__main__"; setattr(main, c.__name__, c)
torch.save({"config": Config(), "mode": Mode.TRAIN, "options": Options(a=1), "items": Items([1, 2]),
            "class": Config, "partial": functools.partial(max, 1), "model": {"w": torch.ones(2)}}, sys.argv[1])`,
    );
    const reported: Unreadable[] = [];
    const all = mapIn(await load(path, { onUnreadable: (entry) => reported.push(entry) }));
    expect([...all.keys()]).toEqual(['mode', 'options', 'items', 'class', 'model']);
    expect(all.get('options')).toEqual(new Map([['a', 1]]));
    expect(all.get('items')).toEqual([1, 2]);
    // Python 3.11 and later pickle a member of an Enum by its name.
    expect(all.get('mode')).toBe('__main__.Mode.TRAIN');
    expect(all.get('class')).toBe('__main__.Config');
    expect(
      reported.map(({ name, unreadable }) => [name, /"(.*?)"/.exec(unreadable ?? '')?.[1]]),
    ).toEqual([
      ['config', '__main__.Config'],
      ['partial', 'functools.partial'],
    ]);
    expect((await loadStateDict(path)).size).toBe(1);
    expect((await inspect(path)).unreadable).toHaveLength(2);
  });

  test('tensors of a subclass are tensors', async () => {
    const path = await writes(
      'subclass.pt',
      `
class MetaTensor(torch.Tensor): pass
MetaTensor.__module__ = "__main__"; sys.modules["__main__"].MetaTensor = MetaTensor
t = torch.arange(3.).as_subclass(MetaTensor); t.affine = torch.eye(2)
torch.save({"image": t}, sys.argv[1])`,
    );
    expect(tensorIn(mapIn(await load(path)).get('image')).tolist()).toEqual([0, 1, 2]);
  });

  test('an extra state is left out of a state dict by name', async () => {
    const path = await writes(
      'extra.pt',
      `
class Net(torch.nn.Linear):
    def get_extra_state(self): return {"scale": 1}
torch.save(Net(1, 1).state_dict(), sys.argv[1])`,
    );
    for (const read of [load, loadStateDict]) {
      const reported: Unreadable[] = [];
      const dict = await read(path, { onUnreadable: (entry) => reported.push(entry) });
      expect(dict).toBeInstanceOf(StateDict);
      expect([...mapIn(dict).keys()]).toEqual(['weight', 'bias']);
      expect(reported).toEqual([
        { name: '_extra_state', unreadable: expect.stringContaining('extra state of a module') },
      ]);
    }
  });

  test('a bare pickle of data.pkl says that its records are missing', async () => {
    const path = await writes(
      'bare.pt',
      `
import io, zipfile
buffer = io.BytesIO()
torch.save({"w": torch.ones(2)}, buffer)
open(sys.argv[1], "wb").write(zipfile.ZipFile(buffer).read("archive/data.pkl"))`,
    );
    await expectFailure(
      load(path),
      'FORMAT',
      /records with its numbers \(data\/0, …\) are missing/,
    );
  });

  test('a pickle that torch.save did not write is named', async () => {
    const path = await writes(
      'plain.pt',
      'import pickle\npickle.dump({"a": 1}, open(sys.argv[1], "wb"))',
    );
    await expectFailure(load(path), 'FORMAT', /a Python pickle that torch\.save did not write/);
  });

  test.each([0, 1])('protocol %i is refused with what to do', async (protocol) => {
    for (const zip of ['True', 'False']) {
      const path = await writes(
        'old.pt',
        `torch.save({"a": [1, 2.5, "x"]}, sys.argv[1], pickle_protocol=${protocol}, _use_new_zipfile_serialization=${zip})`,
      );
      await expectFailure(
        load(path),
        'UNSUPPORTED',
        /[Pp]rotocols? 0 (and|or) 1.*torch\.load\(path\)/,
      );
    }
  });
});

describe('values that PyTorch 1.13 does not write', () => {
  const read = async (value: Uint8Array) => load(await torchFile(py.pickle(value)));

  test('paths of Python 3.13, versions, and objects with arguments by name', async () => {
    const path = py.call(py.name('pathlib._local', 'PosixPath'), py.text('/'), py.text('a'));
    expect(await read(path)).toBe('/a');
    const version = py.call(py.name('torch.torch_version', 'TorchVersion'), py.text('2.6.0'));
    expect(await read(version)).toBe('2.6.0');
    const named = bytes(py.name('argparse', 'Namespace'), ')', '}', 0x92);
    expect(await read(named)).toEqual(new Map());
    const unknown = bytes(
      '}',
      py.text('a'),
      py.name('m', 'C'),
      ')}',
      py.text('k'),
      py.int(1),
      's',
      0x92,
      's',
    );
    const reported: Unreadable[] = [];
    const value = await load(await torchFile(py.pickle(unknown)), {
      onUnreadable: (entry) => reported.push(entry),
    });
    expect(value).toEqual(new Map());
    expect(reported.map(({ name }) => name)).toEqual(['a']);
  });

  test.each<[string, Uint8Array, RegExp]>([
    [
      'a date of 3 bytes',
      py.call(py.name('datetime', 'date'), py.bytes(bytes(1, 2, 3))),
      /4 bytes/,
    ],
    ['a path of numbers', py.call(py.name('pathlib', 'Path'), py.int(1)), /path of something/],
    ['a timedelta of texts', py.call(py.name('datetime', 'timedelta'), py.text('')), /numbers/],
    ['a time zone of texts', py.call(py.name('datetime', 'timezone'), py.text('')), /offset/],
    ['a namespace of a list', bytes(py.call(py.name('argparse', 'Namespace')), ']b'), /names/],
    ['a deque of a number', py.call(py.name('collections', 'deque'), py.int(1)), /list, tuple/],
    [
      'arguments by name for a known class',
      bytes(py.name('collections', 'deque'), ')}', py.text('a'), py.int(1), 's', 0x92),
      /by name/,
    ],
  ])('%s is refused', async (_, value, message) => {
    await expectFailure(read(value), 'CORRUPT', message);
  });
});
