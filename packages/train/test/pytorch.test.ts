// PyTorch reads a checkpoint of `fit`, and goes on from it with its own model, optimizer and generator.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rand } from '@voxgrad/core';
import { expect, it } from 'vitest';
import { fit } from '../src/index.js';
import { problem, weightsOf } from './support.js';

const PYTHON = '/usr/bin/python3';
const there = spawnSync(PYTHON, ['-c', 'import torch']).status === 0;

const PROGRAM = `
import json, sys, torch
from torch import nn
saved = torch.load(sys.argv[1])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv3d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm3d(4)
        self.head = nn.Conv3d(4, 2, 1)
model = Net()
model.load_state_dict(saved["model"])
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(saved["optimizer"])
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
scheduler.load_state_dict(saved["scheduler"])
torch.set_rng_state(saved["rng_state"])
print(json.dumps({
    "epoch": saved["epoch"], "step": saved["step"], "lr": optimizer.param_groups[0]["lr"],
    "scheduled": scheduler.last_epoch, "losses": saved["history"]["steps"]["loss"].tolist(),
    "order": saved["data"]["indices"].tolist(), "position": saved["data"]["position"],
    "weights": [v for p in model.state_dict().values() for v in p.double().reshape(-1).tolist()],
    "steps": [float(s["step"]) for s in optimizer.state.values()],
    "random": torch.rand(3).tolist()}))
`;

it.skipIf(!there)(
  there ? 'PyTorch goes on from a checkpoint' : 'PyTorch goes on (skipped: no python3-torch)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voxgrad-train-'));
    try {
      const path = join(folder, 'run.pt');
      const options = problem();
      const { history } = await fit({ ...options, maxSteps: 10, checkpoint: { to: path } });
      const { stdout, stderr } = spawnSync(PYTHON, ['-c', PROGRAM, path], { encoding: 'utf8' });
      expect(stderr).toBe('');
      const { order, random, ...found } = JSON.parse(stdout);
      expect(found).toEqual({
        ...{ epoch: 2, step: 10, lr: 0.01, scheduled: 2, position: 2 },
        losses: history.steps.map(({ loss }) => loss),
        weights: weightsOf(options.model),
        steps: [10, 10, 10, 10, 10, 10],
      });
      expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
      // The run has stopped where its generator stands.
      expect(random.map(Math.fround)).toEqual(rand([3]).tolist());
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
