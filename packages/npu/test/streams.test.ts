import { VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { npu, STREAM_ATTRIBUTES, type StreamAttribute } from '../src/index.js';
import { compareCann } from '../src/profile/cann-order.js';
import { CANN_ERAS } from '../src/profile/versions.js';
import { runtimeEra } from '../src/streams/attributes.js';
import { cannOfEntry } from '../src/streams/library-path.js';

const NAMES = Object.keys(STREAM_ATTRIBUTES) as StreamAttribute[];

/** The end of the range of ids for each released CANN, by hand from the fact sheet. */
const ENDS: readonly (readonly [cann: string, end: number])[] = [
  ['9.1.0', 6],
  ['9.0.1', 5],
  ['9.0.0', 5],
  ['8.5.1', 5],
  ['8.5.0', 5],
  ['8.3.RC1', 4],
  ['8.2.RC1', 4],
  ['8.1.RC1', 1],
  ['8.0.RC3', 1],
];

describe.each(ENDS)('CANN %s', (cann, end) => {
  const device = npu('Ascend910B1', { cann });

  it('a name sets what the runtime takes and leaves the rest', () => {
    for (const name of NAMES) {
      const id = STREAM_ATTRIBUTES[name];
      const setting = device.setStreamAttribute(name, 1);
      expect(setting).toMatchObject({ applied: id < end, id });
      expect(setting.reason === null).toBe(id < end);
      expect(device.setStreamAttribute(`ACL_STREAM_ATTR_${name}`, 1)).toEqual(setting);
    }
    expect([...device.streamAttributes.keys()]).toEqual(
      Object.values(STREAM_ATTRIBUTES).filter((id) => id < end),
    );
  });

  it('a raw id is answered by the runtime', () => {
    for (const id of [0, -1, end, end + 7]) {
      const error = thrownBy(() => device.setStreamAttribute(id, 1));
      expect(error).toBeInstanceOf(VoxgradError);
      const text = {
        DEVICE: `the runtime of CANN ${cann} has no stream attributes`,
        EE1001:
          `EE1001: The argument is invalid.Reason: Invalid stream attribute ID: ${id}, Supported stream ` +
          `attribute IDs: [1, ${end}).`,
        EE1003:
          `EE1003: rtsStreamSetAttribute failed because value ${id} for parameter stmAttrId is invalid. ` +
          `Expected value: [1, ${end}).`,
      };
      const code =
        end === 1 ? 'DEVICE' : compareCann(cann, '8.5.0') >= 0 ? 'EE1003' : ('EE1001' as const);
      expect(error).toMatchObject({ code });
      expect(error.message).toContain(text[code]);
    }
    if (end > 1) expect(device.setStreamAttribute(end - 1, 7).applied).toBe(true);
  });
});

it('every CANN has a row', () => {
  for (const { versions } of CANN_ERAS)
    for (const version of versions) expect(runtimeEra(version).end).toBeGreaterThanOrEqual(1);
});

it('pre-releases: attribute 4 came between 8.5.0.alpha002 and 8.5.0-beta.1', () => {
  expect(runtimeEra('8.2.RC1.alpha002').end).toBe(1);
  expect(runtimeEra('8.2.RC1.alpha003').end).toBe(4);
  expect(runtimeEra('8.5.0.alpha002').end).toBe(4);
  expect(runtimeEra('8.5.0-beta.1').end).toBe(5);
  expect(runtimeEra('9.1.0-beta.1').end).toBe(5);
  expect(runtimeEra('9.1.0-beta.2.pre').end).toBe(6);
});

it('versions are in order', () => {
  const order = CANN_ERAS.flatMap((era) => era.versions);
  for (let i = 1; i < order.length; i++)
    expect(compareCann(order[i - 1], order[i]), `${order[i - 1]} > ${order[i]}`).toBe(1);
  expect(compareCann('8.2.RC1', '8.2.RC1')).toBe(0);
});

it('an unknown attribute is answered with the nearest', () => {
  const device = npu('Ascend910B1', { cann: '8.5.1' });
  // @ts-expect-error: JavaScript callers may pass anything
  const wrong = (name: unknown) => thrownBy(() => device.setStreamAttribute(name, 1));
  expect(wrong('CACHE_OPINFO').message).toMatch(/no attribute is called .*CACHE_OP_INFO/);
  expect(wrong(1.5).message).toContain('an id must be an integer');
  expect(wrong(null)).toBeInstanceOf(VoxgradError);
});

describe('the library path', () => {
  it.each([
    ['/usr/local/Ascend/ascend-toolkit/8.2.RC1/lib64', '8.2.RC1'],
    ['/usr/local/Ascend/cann-9.0.0/lib64', '9.0.0'],
    ['/usr/local/Ascend/cann/8.5.1/lib64', '8.5.1'],
    ['8.5.0.alpha002', '8.5.0.alpha002'],
    ['/usr/local/Ascend/ascend-toolkit/latest/lib64', null],
    ['/usr/lib', null],
    ['', null],
  ])('%s is of CANN %s', (entry, version) => {
    expect(cannOfEntry(entry)).toBe(version);
  });

  it('the first installation in it brings the runtime', () => {
    const libraryPath =
      '/usr/lib:/usr/local/Ascend/ascend-toolkit/8.2.RC1/lib64:/usr/local/Ascend/cann-8.5.1/lib64';
    const { runtime } = npu('Ascend910B1', { cann: '8.5.1', libraryPath }).profile;
    expect(runtime.version).toBe('8.2.RC1');
    expect(runtime.versions).toEqual(['8.2.RC1', '8.5.1']);
    expect(npu('Ascend910B1', { cann: '8.5.1', libraryPath: '/usr/lib' }).profile.runtime).toEqual({
      version: '8.5.1',
      entry: null,
      versions: ['8.5.1'],
    });
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => npu('Ascend910B1', { cann: '8.5.1', libraryPath: 5 })).toThrow(VoxgradError);
  });
});
