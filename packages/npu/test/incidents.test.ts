// The two incidents, each from end to end: what the device throws is what the planner has said before,
// the doctor explains the lines that a user would see, what either of them advises heals the device, and
// the script of the call shows it again.

import { conv3d, cpu, randn, strategies, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, filled, thrownBy } from '../../core/test/support/numbers.js';
import {
  cannText,
  doctor,
  type Finding,
  formatCast,
  givenIn,
  type NpuDevice,
  npu,
  type PlanCheck,
  parseConv,
  plan,
  planTable,
  repro,
  torchNpuText,
} from '../src/index.js';

const STAMP = { pid: 7, time: new Date(0) };

/** What a user finds in the terminal: versions, the exception of torch_npu, and CANN's own lines. */
function logOf(device: NpuDevice, check: Pick<PlanCheck, 'code' | 'text'>): string {
  const { torchNpu, cann } = device.profile;
  const error = { code: check.code ?? '', message: check.text ?? '' };
  const operation = { operation: 'aclnnConvolutionBackward', route: 'aclnn' } as const;
  return [
    `torch_npu ${torchNpu}, CANN ${cann.version}`,
    torchNpuText(error, device.profile, operation, STAMP),
    cannText(error, cann.version, STAMP),
  ].join('\n');
}

/** Every part of an answer: cause, evidence, remedy, source, and how sure it is. */
function expectWhole({ cause, evidence, remedies, sources, certainty }: Finding): void {
  expect(cause).toMatch(/\w{3}/);
  expect(evidence.length).toBeGreaterThan(0);
  expect(remedies.length).toBeGreaterThan(0);
  expect(sources.length).toBeGreaterThan(0);
  expect(['certain', 'likely', 'possible']).toContain(certainty);
}

const broken = (checks: readonly PlanCheck[]) => checks.filter(({ ok }) => !ok);

describe('a patch embedding, from one version to the next', () => {
  const CALL = 'x=6,3,2,4,4 w=5,3,2,4,4 stride=2,4,4 needs=w';
  const options = { stride: [2, 4, 4] };
  const pixels = randn([6, 96], { device: cpu });
  const kernel = randn([5, 3, 2, 4, 4], { device: cpu });

  function embed(device: NpuDevice | typeof cpu, volume: (x: Tensor) => Tensor = (x) => x): Tensor {
    const x = volume(pixels.to(device).reshape(6, 3, 2, 4, 4));
    const w = kernel.detach().to(device).requiresGrad_();
    strategies.with({ conv3d: 'fused' }, () =>
      conv3d(x, w, null, options).square().sum().backward(),
    );
    return defined(w.grad);
  }
  const right = embed(cpu);

  it('8.2.RC1 under a pre-release: E69999, healed by a cast to NCDHW, or by the switches', () => {
    const device = npu('Ascend910B1', {
      ...{ cann: '8.2.RC1', torchNpu: '2.7.1', allowInternalFormat: true },
    });
    const call = parseConv(`${CALL} x_format=ND`);
    const error = thrownBy(() => embed(device));

    const { native } = plan(device, [call]).layers[0];
    const [check] = broken(native.checks);
    expect(native.route).toBe('acl_op');
    expect(check).toMatchObject({ pass: 'weight', check: 'format', code: 'E69999' });
    expect(error).toMatchObject({ code: check.code });
    expect(error.message).toContain(check.text);
    expect(planTable(plan(device, [call]))).toMatch(/x_format=ND[\s\S]*npu_format_cast/);

    const { findings } = doctor({
      // As that build names itself.
      log: [
        'torch 2.7.1',
        logOf(device, check).replace('torch_npu 2.7.1,', 'torch_npu 2.7.1.dev20250724,'),
        'torch.npu.config.allow_internal_format = True',
      ].join('\n'),
    });
    expect(findings[0]).toMatchObject({ id: 'nd-format', certainty: 'certain' });
    findings.forEach(expectWhole);
    expect(findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['version-pair', 'pre-release']),
    );
    expect(findings[0].remedies.join()).toMatch(/npu_format_cast\(x, 30\)/);

    expect(native.remedies).toMatchObject({ usualFormats: true, switchesOff: true });
    expectClose(
      embed(device, (x) => formatCast(x, 30)),
      right,
      1e-5,
    );
    const off = npu('Ascend910B1', {
      ...{ cann: '8.2.RC1', torchNpu: '2.7.1', allowInternalFormat: false },
    });
    expectClose(embed(off), right, 1e-5);

    const script = repro(call, { device: givenIn(device.profile) });
    expect(script).toContain('os.environ.get("REPRO_FORMAT", "2")'); // ND
    expect(script).toContain('"REPRO_INTERNAL_FORMAT": "1"');
    expect(repro(call, { target: 'voxgrad', device: givenIn(device.profile) })).toMatch(
      /"allowInternalFormat":true[\s\S]*formats: \{"input":"ND"\}/,
    );
  });

  it('8.5.0 where null stands for masked outputs: a core dump, healed by 8.5.1 or a later torch_npu', () => {
    const device = npu('Ascend910B1', { cann: '8.5.0', torchNpu: '2.7.1.post2' });
    const call = parseConv(CALL);
    const error = thrownBy(() => embed(device));

    const { native, strategy } = plan(device, [call]).layers[0];
    const [check] = broken(native.checks);
    expect(check).toMatchObject({ pass: 'weight', check: 'null gradient' });
    expect(check.code).toBeUndefined();
    expect(error.message).toContain(check.text);
    expect(strategy).not.toBe('fused');

    const { findings } = doctor({
      log: [
        'torch 2.7.1, torch_npu 2.7.1.post2, CANN 8.5.0',
        'Fatal Python error: Segmentation fault',
        '#3 0x0000fffdd aclnnConvolutionBackwardGetWorkspaceSize () from libopapi_nn.so',
      ].join('\n'),
    });
    expect(findings).toMatchObject([{ id: 'null-gradient', certainty: 'certain' }]);
    findings.forEach(expectWhole);

    const healed = [
      ...(native.remedies?.torchNpu ?? []).map((torchNpu) => ({ cann: '8.5.0', torchNpu })),
      { cann: '8.5.1', torchNpu: '2.7.1.post2' },
    ];
    expect(native.remedies?.cann).toContain('8.5.1');
    expect(healed.length).toBeGreaterThan(1);
    for (const versions of healed)
      expectClose(embed(npu('Ascend910B1', versions)), right, 1e-5, JSON.stringify(versions));
    expect(repro(call)).toContain('NEEDS = (False, True,)');
  });

  it('8.5.1 with an older runtime first: the chain works, EE1001 stays until the path is clean', () => {
    const older = '/usr/local/Ascend/ascend-toolkit/8.2.RC1/lib64';
    const own = '/usr/local/Ascend/cann-8.5.1/lib64';
    const make = (libraryPath: string) =>
      npu('Ascend910B1', { cann: '8.5.1', torchNpu: '2.7.1.post3', libraryPath });
    const mixed = make(`${older}:${own}`);
    expect(plan(mixed, [parseConv(CALL)]).layers[0].native.ok).toBe(true);
    expectClose(embed(mixed), right, 1e-5);
    const [{ code, message }] = mixed.logged;
    expect(message).toContain(
      'Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4)',
    );

    const environment = (path: string) =>
      `ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.1\nLD_LIBRARY_PATH=${path}`;
    const { findings } = doctor({
      log: logOf(mixed, { code, text: message }),
      environment: environment(`${older}:${own}`),
    });
    expect(findings.slice(0, 2)).toMatchObject([
      { id: 'older-runtime-first', certainty: 'certain' },
      { id: 'stream-attribute', certainty: 'certain' },
    ]);
    findings.forEach(expectWhole);

    const clean = make(own);
    expectClose(embed(clean), right, 1e-5);
    expect(clean.logged).toEqual([]);
    expect(doctor({ log: 'loss 0.7', environment: environment(own) }).findings).toEqual([]);
  });
});

describe('depthwise kernels of 7 and 9 over large volumes', () => {
  const device = npu('Ascend910B1', { cann: '8.2.RC1', torchNpu: '2.6.0' });
  it.each([
    ['train04', 'x=1,7,168,296,296 w=7,1,7,7,7 padding=3 groups=7', '31,232 B too many'],
    ['train05', 'x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7', '1,024 B too many'],
  ])('%s: planned, refused, explained, avoided', (_, text, excess) => {
    const call = parseConv(text);
    const { native, strategy, forward, call: asked } = plan(device, [call]).layers[0];
    const checks = broken(native.checks);
    expect(checks).toMatchObject([{ pass: 'input', check: 'L1', code: 'E69999' }]);
    expect(forward.strategy).toBe('fused');

    // The registry of the device decides as planned, and refuses in the same words.
    const { chosen, considered } = strategies.explain('conv3d', asked, device);
    expect(chosen).toBe(strategy);
    const fused = considered.find(({ name }) => name === 'fused');
    expect(fused?.reasons.join()).toContain(checks[0].text);

    const { findings } = doctor({ log: logOf(device, checks[0]) });
    expect(findings).toMatchObject([{ id: 'input-gradient-l1', certainty: 'certain' }]);
    findings.forEach(expectWhole);
    expect(findings[0].cause).toContain(excess);
    expect(findings[0].remedies.join()).toMatch(/composite or the tiled strategy/);
    expect(repro(call)).toContain('GROUPS = 7');

    // What it advises: a narrower volume, or no gradient of the input.
    const [n, c, d, h] = call.input;
    const width = native.remedies?.width ?? 0;
    const passes = (change: object) => plan(device, [{ ...call, ...change }]).layers[0].native.ok;
    expect(passes({ input: [n, c, d, h, width] })).toBe(true);
    expect(passes({ input: [n, c, d, h, width + 1] })).toBe(false);
    expect(passes({ needs: [false, true, false] })).toBe(true);
  });

  it('forced, the device throws what was planned; composite and tiled give the gradients of a host', () => {
    // The kernel of train05 over few rows of the same width: the width alone decides.
    const [input, weight] = [
      [1, 2, 9, 12, 168],
      [2, 1, 9, 9, 9],
    ] as const;
    const options = { padding: 4, groups: 2 };
    const derive = (on: NpuDevice | typeof cpu, backward?: string) => {
      const [x, w] = [input, weight].map((s) =>
        filled([...s])
          .to('float32')
          .to(on),
      );
      const leaves = [x.requiresGrad_(), w.requiresGrad_()];
      conv3d(leaves[0], leaves[1], null, { ...options, backward })
        .square()
        .sum()
        .backward();
      return leaves.map(({ grad }) => defined(grad));
    };
    const [check] = broken(plan(device, [{ input, weight, ...options }]).layers[0].native.checks);
    const error = thrownBy(() => derive(device, 'fused'));
    expect(error).toMatchObject({ code: 'E69999' });
    expect(error.message).toContain(check.text);
    const right = derive(cpu);
    for (const strategy of [undefined, 'composite', 'tiled'])
      derive(device, strategy).forEach((got, i) => {
        expectClose(got, right[i], 2e-6, `${strategy} ${i}`);
      });
  });
});
