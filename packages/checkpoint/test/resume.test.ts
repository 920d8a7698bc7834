// Training that is begun here and goes on in PyTorch, and the other way round, over a file: each
// optimizer and scheduler of test/oracle, and a whole checkpoint as scripts save them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRngState, manualSeed, randn, setRngState, type Tensor, tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { functional as F } from '@voxgrad/nn';
import { AdamW, lrScheduler } from '@voxgrad/optim';
import { afterAll, describe, expect, test } from 'vitest';
import {
  fixture,
  leaves,
  makeOptimizer,
  makeScheduler,
  run,
} from '../../optim/test/support/problem.js';
import { load, loadStateDict, save } from '../src/index.js';
import { mapIn, python, runPython, stopPython, tensorIn } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

const ORACLE = fileURLToPath(new URL('../../../test/oracle', import.meta.url));
const HEAD = `
import json, sys, torch
sys.path.insert(0, ${JSON.stringify(ORACLE)})
from optimizers_problem import *
from optimizers_schedules import make_scheduler, two_groups, momentum_of
`;

/** After so many steps the work changes hands. */
const CHANGE = 25;

describe.skipIf(python === undefined)('PyTorch goes on', () => {
  test('with every optimizer', async () => {
    const saved = fixture.runs.map((row): [string, unknown] => {
      const parameters = leaves(fixture.initial);
      const optimizer = makeOptimizer(row, parameters);
      run(optimizer, parameters, CHANGE);
      return [row.name, { parameters, optimizer: optimizer.stateDict() }];
    });
    await save(new Map(saved), file('optimizers.pt'));
    const script = `${HEAD}
saved, losses, differences = torch.load(sys.argv[1]), {}, []
data = problem_data()[:2]
for name, kind, options, second in RUNS:
    state = saved[name]["optimizer"]
    parameters = leaves(saved[name]["parameters"])
    optimizer = make_optimizer(kind, parameters, options, second)
    optimizer.load_state_dict(state)
    losses[name] = run(optimizer, parameters, data, ${50 - CHANGE})
    # The layout, against what PyTorch itself has after as many steps.
    own = make_optimizer(kind, leaves(problem_data()[2]), options, second)
    run(own, own.param_groups[0]["params"] + own.param_groups[-1]["params"] if second is not None
        else own.param_groups[0]["params"], data, ${CHANGE})
    own = own.state_dict()
    for ours, theirs in zip(state["param_groups"], own["param_groups"]):
        for key in ours:
            x, y = ours[key], theirs.get(key)
            if type(x) != type(y) and not {type(x), type(y)} <= {int, float}: differences.append([name, key, repr(x), repr(y)])
            elif x != y: differences.append([name, key, repr(x), repr(y)])
    if list(state["state"]) != list(own["state"]): differences.append([name, "numbers"])
    for number in own["state"]:
        ours, theirs = state["state"][number], own["state"][number]
        # Nothing is read from these: a buffer that is None, scratch, and a step that is 1 or a tensor.
        theirs = {k: v for k, v in theirs.items() if v is not None and not (kind == "LBFGS" and k in ("al", "t"))}
        ours = {k: v for k, v in ours.items() if not (kind == "LBFGS" and k == "t")}
        if sorted(ours) != sorted(theirs): differences.append([name, number, sorted(ours), sorted(theirs)])
        for key in theirs:
            if torch.is_tensor(theirs[key]) != torch.is_tensor(ours.get(key)): differences.append([name, number, key])
            elif torch.is_tensor(theirs[key]) and (theirs[key].dtype, theirs[key].shape) != (ours[key].dtype, ours[key].shape):
                differences.append([name, number, key, str(theirs[key].dtype), str(ours[key].dtype)])
print(json.dumps([losses, differences]))`;
    const [losses, differences] = JSON.parse(await runPython(script, file('optimizers.pt'))) as [
      Record<string, number[]>,
      unknown[],
    ];
    expect(differences).toEqual([]);
    for (const row of fixture.runs) {
      // These multiply rounding; see packages/optim/test/pytorch.test.ts.
      const tolerance = /lbfgs.*history/.test(row.name) ? 1e-7 : 1e-12;
      row.losses.slice(CHANGE).forEach((loss, i) => {
        const apart = Math.abs(losses[row.name][i] - loss);
        expect(apart, `${row.name}, step ${i}`).toBeLessThanOrEqual(tolerance * Math.max(1, loss));
      });
    }
  });

  test('with every scheduler', async () => {
    const before = 6;
    const rows = fixture.schedules.filter(({ epochs }) => epochs === undefined);
    const saved = rows.map((row) => {
      const [a, b] = leaves([
        [0, 0],
        [0, 0],
      ]);
      const options = row.optimizer === 'SGD' ? { lr: 0.1, momentum: 0.9 } : { lr: 0.1 };
      const optimizer = makeOptimizer({ optimizer: row.optimizer, options, second: null }, [a]);
      optimizer.addParamGroup({ params: [b], lr: 0.05 });
      const scheduler = makeScheduler(row.scheduler, optimizer);
      for (let i = 0; i < before; i++) {
        optimizer.step();
        (scheduler.step as (metric?: number) => void).call(scheduler, row.metrics?.[i]);
      }
      return { optimizer: optimizer.stateDict(), scheduler: scheduler.stateDict() };
    });
    await save(saved, file('schedulers.pt'));
    const specs = rows.map(({ optimizer, scheduler, metrics, lrs }) => ({
      optimizer,
      scheduler,
      arguments: Array.from({ length: lrs.length - 1 - before }, (_, i) =>
        metrics ? [metrics[before + i]] : [],
      ),
    }));
    const script = `${HEAD}
rates = []
for saved, spec in zip(torch.load(sys.argv[1]), json.loads(sys.argv[2])):
    optimizer = two_groups(spec["optimizer"])
    scheduler = make_scheduler(spec["scheduler"], optimizer)
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    rates.append([])
    for args in spec["arguments"]:
        optimizer.step()
        scheduler.step(*args)
        rates[-1].append([[g["lr"] for g in optimizer.param_groups], [momentum_of(g) for g in optimizer.param_groups]])
print(json.dumps(rates))`;
    const rates = JSON.parse(
      await runPython(script, file('schedulers.pt'), JSON.stringify(specs)),
    ) as [number[], number[]][][];
    rows.forEach((row, r) => {
      row.lrs.slice(before + 1).forEach((expected, i) => {
        const [lrs, momenta] = rates[r][i];
        const wanted = [...expected, ...(row.momenta?.[before + 1 + i] ?? [])];
        [...lrs, ...(row.momenta ? momenta : [])].forEach((rate, k) => {
          expect(rate, `${row.name}, step ${i}`).toBeCloseTo(wanted[k], 13);
        });
      });
    });
  });
});

// The same network, data and schedule on both sides, in float64.
class Net extends nn.Module {
  conv = new nn.Conv3d(1, 4, 3, { padding: 1 });
  norm = new nn.BatchNorm3d(4);
  head = new nn.Linear(4, 2);
  forward(x: Tensor): Tensor {
    const features = F.relu(this.norm.call(this.conv.call(x)));
    return this.head.call(features.mean([2, 3, 4]));
  }
}

const NET = `
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv3d(1, 4, 3, padding=1), nn.BatchNorm3d(4), nn.Linear(4, 2)
    def forward(self, x): return self.head(F.relu(self.norm(self.conv(x))).mean([2, 3, 4]))
def make():
    model = Net().double()
    optimizer = torch.optim.AdamW([{"params": model.conv.parameters(), "lr": 0.01}, {"params": [*model.norm.parameters(), *model.head.parameters()]}], lr=0.02, betas=(0.8, 0.99))
    return model, optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, [0.02, 0.05], total_steps=20)
def train(model, optimizer, scheduler, x, labels, steps):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), labels)
        loss.backward(); optimizer.step(); scheduler.step()
        losses.append(loss.item())
    return losses
`;

function make() {
  const model = new Net().to('float64');
  const rest = [...model.norm.parameters(), ...model.head.parameters()];
  const optimizer = new AdamW([{ params: model.conv.parameters(), lr: 0.01 }, { params: rest }], {
    lr: 0.02,
    betas: [0.8, 0.99],
  });
  const scheduler = new lrScheduler.OneCycleLR(optimizer, [0.02, 0.05], { totalSteps: 20 });
  return { model, optimizer, scheduler };
}

function train(
  { model, optimizer, scheduler }: ReturnType<typeof make>,
  x: Tensor,
  labels: Tensor,
) {
  return Array.from({ length: 6 }, () => {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model.call(x), labels);
    loss.backward();
    optimizer.step();
    scheduler.step();
    return loss.item();
  });
}

const expectClose = (got: readonly number[], expected: readonly number[]) => {
  expect(got.length).toBe(expected.length);
  for (const [i, x] of got.entries()) expect(x).toBeCloseTo(expected[i], 12);
};

describe.skipIf(python === undefined)('a whole training checkpoint', () => {
  test('from here to PyTorch', async () => {
    manualSeed(5);
    const parts = make();
    const x = randn([3, 1, 5, 5, 5], { dtype: 'float64' });
    const labels = tensor([0n, 1n, 1n], { dtype: 'int64' });
    const history = train(parts, x, labels);
    await save(
      {
        model: parts.model.stateDict(),
        optimizer: parts.optimizer.stateDict(),
        scheduler: parts.scheduler.stateDict(),
        epoch: 6,
        best: Number.POSITIVE_INFINITY,
        rng: getRngState(),
        args: {
          lr: 0.02,
          sizes: [32, [1, 2]],
          name: 'ü',
          resume: null,
          amp: false,
          big: 2n ** 70n,
        },
        counts: new Map<unknown, unknown>([
          [3, 'three'],
          [0.5, 'half'],
          ['3', 'text'],
        ]),
        history,
        parameters: [...parts.model.parameters()],
        data: { x, labels },
      },
      file('whole.pt'),
    );
    const next = Array.from(randn([20]).tolist() as number[]);
    const losses = train(parts, x, labels);
    const script = `${HEAD}${NET}
import pickletools, zipfile
c = torch.load(sys.argv[1])
model, optimizer, scheduler = make()
print(model.load_state_dict(c["model"]))
assert c["model"]._metadata["norm"] == {"version": 2}, c["model"]._metadata
optimizer.load_state_dict(c["optimizer"]); scheduler.load_state_dict(c["scheduler"])
assert c["args"] == {"lr": 0.02, "sizes": [32, [1, 2]], "name": "ü", "resume": None, "amp": False, "big": 2**70}, c["args"]
assert c["counts"] == {3: "three", 0.5: "half", "3": "text"} and c["epoch"] == 6 and c["best"] == float("inf")
assert all(type(p) is nn.Parameter and p.requires_grad and p.is_leaf for p in c["parameters"])
# The parameters and the state dict share their memory, as they did.
assert c["parameters"][0].data_ptr() == c["model"]["conv.weight"].data_ptr()
torch.set_rng_state(c["rng"])
random = torch.randn(20).tolist()
losses = train(model, optimizer, scheduler, c["data"]["x"], c["data"]["labels"], 6)
# What the stricter unpickler of newer versions knows of, by the list in its source.
known = "PROTO STOP GLOBAL NEWOBJ REDUCE BUILD APPEND APPENDS SETITEM SETITEMS MARK TUPLE TUPLE1 TUPLE2 TUPLE3 NONE NEWFALSE NEWTRUE EMPTY_TUPLE EMPTY_LIST EMPTY_DICT EMPTY_SET BININT BININT1 BININT2 BINFLOAT BINUNICODE SHORT_BINSTRING BINPERSID BINGET LONG_BINGET BINPUT LONG_BINPUT LONG1".split()
ops = list(pickletools.genops(zipfile.ZipFile(sys.argv[1]).read("archive/data.pkl")))
assert {op.name for op, _, _ in ops} <= set(known), {op.name for op, _, _ in ops} - set(known)
print(json.dumps([losses, random, sorted({a for op, a, _ in ops if op.name == "GLOBAL"})]))`;
    const [matched, results] = (await runPython(script, file('whole.pt'))).trim().split('\n');
    expect(matched).toBe('<All keys matched successfully>');
    const [theirs, random, names] = JSON.parse(results) as [number[], number[], string[]];
    expectClose(theirs, losses);
    expect(random).toEqual(next);
    expect(names).toEqual([
      'collections OrderedDict',
      'torch ByteStorage',
      'torch DoubleStorage',
      'torch FloatStorage',
      'torch LongStorage',
      'torch._utils _rebuild_parameter',
      'torch._utils _rebuild_tensor_v2',
    ]);
  });

  test('from PyTorch to here, and back', async () => {
    const script = `${HEAD}${NET}
torch.manual_seed(7)
model, optimizer, scheduler = make()
x, labels = torch.randn(3, 1, 5, 5, 5, dtype=torch.float64), torch.tensor([1, 0, 1])
history = train(model, optimizer, scheduler, x, labels, 6)
state = {k: v for k, v in scheduler.state_dict().items() if k != "anneal_func"}
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": state, "epoch": 6,
            "rng": torch.get_rng_state(), "history": history, "args": {"sizes": (1, [2.5, None])}, "data": (x, labels)}, sys.argv[1])
print(json.dumps([torch.randn(20).tolist(), train(model, optimizer, scheduler, x, labels, 6)]))`;
    const [random, losses] = JSON.parse(await runPython(script, file('theirs.pt'))) as number[][];
    // A second time from the file that is written from what was read.
    await save(await load(file('theirs.pt')), file('again.pt'));
    for (const path of [file('theirs.pt'), file('again.pt')]) {
      const all = mapIn(await load(path));
      const parts = make();
      parts.model.loadStateDict(await loadStateDict(path));
      parts.optimizer.loadStateDict(mapIn(all.get('optimizer')));
      parts.scheduler.loadStateDict(mapIn(all.get('scheduler')));
      setRngState(tensorIn(all.get('rng')));
      expect(randn([20]).tolist()).toEqual(random);
      const [x, labels] = all.get('data') as [Tensor, Tensor];
      expectClose(train(parts, x, labels), losses);
    }
    const back = `${HEAD}${NET}
c = torch.load(sys.argv[1])
model, optimizer, scheduler = make()
model.load_state_dict(c["model"]); optimizer.load_state_dict(c["optimizer"]); scheduler.load_state_dict(c["scheduler"])
assert c["optimizer"]["param_groups"][0]["betas"] == torch.load(sys.argv[2])["optimizer"]["param_groups"][0]["betas"]
print(json.dumps(train(model, optimizer, scheduler, *c["data"], 6)))`;
    const theirs = JSON.parse(await runPython(back, file('again.pt'), file('theirs.pt')));
    expect(theirs).toEqual(losses);
  });
});
