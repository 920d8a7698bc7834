import { VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { backwardRoute, GENERATIONS, type NpuOptions, npu, TORCH_NPU_NAMES } from '../src/index.js';
import { conv3dCall } from './geometry.js';

const { geometry } = conv3dCall([1, 2, 4, 4, 4], [2, 2, 3, 3, 3]);
const route = (soc: string, options: NpuOptions) =>
  backwardRoute(npu(soc, options).profile, geometry).kind;

describe('defaults of the switches', () => {
  it.each([
    { soc: 'Ascend910B1', torchNpu: '2.6.0', jit: false, internal: false },
    { soc: 'Ascend910B4-1', torchNpu: '2.6.0', jit: false, internal: false },
    { soc: 'Ascend910_9392', torchNpu: '2.6.0', jit: false, internal: false },
    { soc: 'Ascend950DT_9581', torchNpu: '2.7.1.post8', jit: false, internal: false },
    { soc: 'Ascend910B1', torchNpu: '2.3.1', jit: false, internal: true }, // 6.0.rc2
    { soc: 'Ascend910B1', torchNpu: '2.4.0', jit: false, internal: false }, // 6.0.rc3
    { soc: 'Ascend910A', torchNpu: '2.6.0', jit: true, internal: true },
    { soc: 'Ascend310P3', torchNpu: '2.6.0', jit: true, internal: true },
    { soc: 'Ascend310B1', torchNpu: '2.6.0', jit: false, internal: true },
  ])('$soc, torch_npu $torchNpu', ({ soc, torchNpu, jit, internal }) => {
    const { jitCompile, allowInternalFormat } = npu(soc, { cann: '8.2.RC1', torchNpu }).profile;
    expect([jitCompile.on, allowInternalFormat.on]).toEqual([jit, internal]);
    expect([jitCompile.source, allowInternalFormat.source]).toEqual(['jitdef', 'intfmtdef']);
  });

  it('what the caller says stands', () => {
    const { jitCompile, allowInternalFormat } = npu('Ascend910B1', {
      ...{ cann: '8.2.RC1', jitCompile: true, allowInternalFormat: true },
    }).profile;
    expect([jitCompile.why, allowInternalFormat.why]).toEqual([
      'set by the caller',
      'set by the caller',
    ]);
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => npu('Ascend910B1', { cann: '8.2.RC1', jitCompile: 'no' })).toThrow(VoxgradError);
  });

  it('chips with aclnn operators only reject internal formats', () => {
    expect(() => npu('Ascend950DT_9581', { cann: '9.1.0', allowInternalFormat: true })).toThrow(
      'has aclnn operators only',
    );
  });
});

describe('the route of a 3D backward', () => {
  it.each([
    { torchNpu: '2.5.1', cann: '8.1.RC1', guard: false },
    { torchNpu: 'v7.1.RC1.alpha002-pytorch2.7.1', cann: '8.2.RC1', guard: false },
    { torchNpu: '2.5.1.post1', cann: '8.2.RC1', guard: false },
    { torchNpu: 'v7.2.RC1.alpha002-pytorch2.7.1', cann: '8.2.RC1', guard: false },
    { torchNpu: 'v7.2.RC1.alpha003-pytorch2.7.1', cann: '8.3.RC1', guard: true },
    { torchNpu: '2.7.1', cann: '8.3.RC1', guard: true },
    { torchNpu: '2.7.1.post2', cann: '8.5.0', guard: true },
    { torchNpu: '2.7.1.post8', cann: '9.1.0', guard: true },
  ])('$torchNpu', ({ torchNpu, cann, guard }) => {
    expect(route('Ascend910B1', { cann, torchNpu })).toBe('aclnn');
    for (const on of [{ allowInternalFormat: true }, { jitCompile: true }])
      expect(route('Ascend910B1', { cann, torchNpu, ...on })).toBe(guard ? 'aclnn' : 'acl_op');
  });

  it('fewer axes follow the switches in every release', () => {
    const { profile } = npu('Ascend910B1', { cann: '8.5.0', jitCompile: true });
    expect(backwardRoute(profile, { ...geometry, spatialRank: 2 }).kind).toBe('acl_op');
  });
});

describe('releases of torch_npu', () => {
  it('goes by version, tag and branch', () => {
    for (const torchNpu of ['2.7.1.post2', 'v7.3.0-pytorch2.7.1', 'v2.7.1-7.3.0'])
      expect(npu('Ascend910B1', { cann: '8.5.0', torchNpu }).profile).toMatchObject({
        torchNpu,
        release: { version: '2.7.1.post2', torch: '2.7.1', tag: 'v7.3.0-pytorch2.7.1' },
      });
  });

  it('a version that had pre-releases is one of them under an older CANN', () => {
    const release = (cann: string) =>
      npu('Ascend910B1', { cann, torchNpu: '2.7.1' }).profile.release;
    expect(release('8.3.RC1')).toMatchObject({ generation: '7.2.0', assumed: null });
    expect(release('8.2.RC1')).toMatchObject({ generation: '7.1.RC1.alpha002' });
    expect(release('8.2.RC1').assumed).toContain('was released with CANN 8.3.RC1');
  });

  it.each([
    ['9.1.0', '26.1.0'],
    ['9.0.1', '26.0.0'],
    ['8.5.1', '7.3.0'],
    ['8.5.0', '7.3.0'],
    ['8.2.RC1', '7.1.0'],
    ['5.0.2', '2.0.2.tr5'],
  ])('left open, CANN %s is taken with %s', (cann, generation) => {
    const { torchNpu, release } = npu('Ascend910B1', { cann }).profile;
    expect(torchNpu).toBeNull();
    expect(release).toMatchObject({ generation, version: null });
    expect(release.assumed).toContain('no torch_npu was named');
  });

  it('an unknown one is answered with the nearest', () => {
    const wrong = () => npu('Ascend910B1', { cann: '8.5.0', torchNpu: '2.7.1.post22' });
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow(/no release of torch_npu is called "2\.7\.1\.post22"; .*2\.7\.1\.post2/);
  });

  it('every name finds its release', () => {
    for (const torchNpu of TORCH_NPU_NAMES)
      expect(npu('Ascend910B1', { cann: '9.1.0', torchNpu }).profile.torchNpu).toBe(torchNpu);
    expect(GENERATIONS.length).toBeGreaterThan(25);
  });
});
