import { VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { npu } from '../src/index.js';

describe('unknown names', () => {
  it('an unknown chip is answered with the nearest ones', () => {
    const wrong = () => npu('ascend910b-1', { cann: '8.2.RC1' });
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow(/no SoC is called "ascend910b-1"; .*Ascend910B1/);
  });

  it('an unknown CANN version is answered with the known ones', () => {
    const wrong = () => npu('Ascend910B1', { cann: '8.4' });
    // @ts-expect-error: JavaScript callers may forget the options
    expect(() => npu('Ascend910B1')).toThrow('unknown CANN version undefined');
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow(/unknown CANN version "8\.4"; known versions are 9\.1\.0, .*8\.2\.RC1/);
  });

  it('an unknown option is answered with the likely one', () => {
    // @ts-expect-error: JavaScript callers may misspell
    const wrong = () => npu('Ascend910B1', { cann: '8.2.RC1', allowInternalFormats: true });
    expect(wrong).toThrow(VoxgradError);
    expect(wrong).toThrow("did you mean 'allowInternalFormat'");
  });
});
