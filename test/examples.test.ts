// Every example, in a setting small enough for a test; what each must show is in its title. Their full
// settings run with `npm run example -- NAME`.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXAMPLES } from '../examples/lib/examples.js';
import { MRI, mriIsHere, titledMri } from './support/mri.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PYTHON = '/usr/bin/python3';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voxgrad-examples-'));
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Whether pixels are of more than one colour. */
const isPicture = (png: Uint8Array): boolean => {
  const { data, channels } = decode(png);
  return data.some((value, i) => value !== data[i % channels]);
};

/** Checks that the file is a picture of something: PNG, or SVG whose numbers are all finite. */
function expectPicture(path: string): void {
  if (path.endsWith('.png')) {
    expect(isPicture(readFileSync(path)), path).toBe(true);
    return;
  }
  const svg = readFileSync(path, 'utf8');
  expect(svg.startsWith('<svg ') && svg.endsWith('</svg>\n'), path).toBe(true);
  expect(svg.includes('NaN') || svg.includes('Infinity') || svg.includes('undefined'), path).toBe(
    false,
  );
  const pictures = [...svg.matchAll(/href="data:image\/png;base64,([^"]+)"/g)];
  const drawn = /<(?:path|rect)[^>]+(?:fill|stroke)="#(?!999)/.test(svg);
  expect(
    drawn || pictures.some(([, base64]) => isPicture(Buffer.from(base64, 'base64'))),
    path,
  ).toBe(true);
}

const decreases = (losses: readonly number[]): boolean =>
  losses.every(Number.isFinite) && losses[losses.length - 1] < losses[0];

describe('examples', () => {
  it('fault-segmentation: the loss falls, and an unseen volume is marked', async () => {
    const { default: run, options } = await EXAMPLES['fault-segmentation']();
    const { picture, losses, iou } = await run({ ...options, steps: 6, size: 16 }, folder);
    expectPicture(picture);
    expect(decreases(losses)).toBe(true);
    expect(iou).toBeGreaterThan(0);
  });

  it('brain-mri: a made-up head, from training to fine-tuning', async () => {
    const { default: run, options } = await EXAMPLES['brain-mri']();
    const { picture, losses, agreed } = await run({ ...options, edge: 16, steps: 3 }, folder);
    expectPicture(picture);
    expect(losses.every(Number.isFinite)).toBe(true);
    expect(agreed.every((share) => share > 0 && share <= 1)).toBe(true);
    await expect(run({ ...options, volume: 'none.nii' }, folder)).rejects.toThrow('none.nii');
  });

  it.skipIf(!mriIsHere)(titledMri("brain-mri: a user's volume and checkpoint"), async () => {
    const { default: run, options } = await EXAMPLES['brain-mri']();
    const files = { volume: `${MRI}t1_crop.nii.gz`, checkpoint: `${MRI}meshnet.pt` };
    const { picture, losses, agreed } = await run(
      { ...options, ...files, edge: 32, steps: 4 },
      folder,
    );
    expectPicture(picture);
    expect(decreases(losses)).toBe(true);
    expect(agreed.every((share) => share > 0.5 && share <= 1)).toBe(true);
  });

  it('small-volumes: the loss falls', async () => {
    const { default: run, options } = await EXAMPLES['small-volumes']();
    const { picture, losses } = await run({ ...options, epochs: 2, samples: 32, edge: 12 }, folder);
    expectPicture(picture);
    expect(decreases(losses)).toBe(true);
  });

  it('physics-informed: the residual of the equation falls', async () => {
    const { default: run, options } = await EXAMPLES['physics-informed']();
    const { picture, losses, error } = await run(
      { ...options, steps: 40, points: 64, width: 16 },
      folder,
    );
    expectPicture(picture);
    expect(losses[losses.length - 1]).toBeLessThan(losses[0] / 4);
    expect(error).toBeLessThan(0.5); // u = 0 everywhere errs by √¼ on this slice
  });

  it('waveform-inversion: recomputation changes no loss, and the model comes nearer', async () => {
    const { default: run, options } = await EXAMPLES['waveform-inversion']();
    const small = { ...options, steps: 2, times: 80, edge: 28, shots: 2 };
    const { picture, losses, errors } = await run(small, folder);
    expectPicture(picture);
    expect(decreases(losses)).toBe(true);
    expect(errors[1]).toBeLessThan(errors[0]);
    const kept = await run({ ...small, stretch: small.times }, folder);
    losses.forEach((loss, i) => {
      expect(Math.abs(kept.losses[i] / loss - 1)).toBeLessThan(1e-4);
    });
  });

  it('strategies-per-device: other strategies run, and gradients agree', async () => {
    const { default: run, options } = await EXAMPLES['strategies-per-device']();
    const { picture, ran, map, apart } = await run({ ...options, coarse: 16 }, folder);
    expectPicture(picture);
    expect(ran.wasm.every((name) => name.startsWith('fused'))).toBe(true);
    expect(ran['npu:Ascend910B1']).toEqual(['fused', 'composite', 'fused']);
    expect(ran['tfjs:cpu']).toEqual(['composite', 'tiled', 'fused']);
    expect(Math.max(...apart)).toBeLessThan(1e-6);
    // The last row is the kernel of 1³, which runs natively at every width; the first is 19³.
    expect(new Set(map[map.length - 1])).toEqual(new Set([0]));
    expect(map[0].some((strategy) => strategy > 0)).toBe(true);
  });

  it('custom-strategy: right to the second derivative, refused with its reason', async () => {
    const { default: run, options } = await EXAMPLES['custom-strategy']();
    const { picture, checked, errors, reasons } = await run(
      { ...options, edge: 6, channels: 2, repeats: 1 },
      folder,
    );
    expectPicture(picture);
    expect(checked).toBe(true);
    expect(errors.taps).toBeLessThan(1e-5);
    expect(reasons).toEqual(['takes only groups 1 and stride 1']);
  });

  it('porting: the losses of PyTorch, as recorded', async () => {
    const { default: run, options } = await EXAMPLES.porting();
    const { picture, apart } = await run(options, folder);
    expectPicture(picture);
    expect(apart).toHaveLength(60);
    expect(Math.max(...apart)).toBeLessThan(1e-12);
  });

  const torch = spawnSync(PYTHON, ['-c', 'import torch']).status === 0;
  it.skipIf(!torch)(
    `porting: train.py prints what is recorded${torch ? '' : ' (skipped: no PyTorch)'}`,
    () => {
      const printed = execFileSync(PYTHON, ['examples/porting/train.py'], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      const recorded: number[] = JSON.parse(
        readFileSync(join(ROOT, 'examples/porting/losses.json'), 'utf8'),
      );
      (JSON.parse(printed) as number[]).forEach((loss, i) => {
        expect(Math.abs(loss - recorded[i])).toBeLessThan(1e-12);
      });
    },
  );

  it('the program refuses what it does not know, and says what there is', () => {
    const run = (...args: string[]) =>
      spawnSync(
        process.execPath,
        [
          '--conditions=voxgrad-source',
          '--import',
          'tsx',
          join(ROOT, 'examples/lib/run.ts'),
          ...args,
        ],
        { cwd: ROOT, encoding: 'utf8' },
      );
    const unknown = run('fault');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('no example fault; there are fault-segmentation, brain-mri');
    const option = run('porting', '--steps', '3');
    expect(option.status).toBe(2);
    expect(option.stderr).toContain('no option --steps; there are --epochs 30');
  });
});
