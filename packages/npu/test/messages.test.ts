// The layouts in which CANN and torch_npu print an error; the samples are those of public logs.

import { describe, expect, it } from 'vitest';
import { cannText, npu, torchNpuText } from '../src/index.js';
import { ERROR_CODES, INNER_CODES, isInnerCode } from '../src/messages/codes.js';
import { layoutOf } from '../src/messages/layouts.js';

const stamp = { pid: 3687, time: new Date(2025, 2, 17, 11, 49, 50, 181) };
const MOMENT = '2025-03-17-11:49:50.181.000';
const format = { code: 'E69999', message: 'op[Conv3DBackpropFilter3], illegal format of x.' };

describe('CANN up to 8.3', () => {
  it.each(['8.0.RC2', '8.2.RC1', '8.3.RC1'])('an inner error under %s', (version) => {
    expect(cannText(format, version, stamp)).toBe(
      [
        'E69999: Inner Error!',
        `E69999: [PID: 3687] ${MOMENT} op[Conv3DBackpropFilter3], illegal format of x.`,
        '        TraceBack (most recent call last):',
      ].join('\n'),
    );
  });

  it('an error of the caller', () => {
    const message = 'Conv3dv2 only supports groups = 1 or groups = cin';
    expect(cannText({ code: 'EZ1001', message }, '8.0.RC3', stamp)).toBe(
      `EZ1001: [PID: 3687] ${MOMENT} ${message}`,
    );
  });
});

describe('CANN from 8.5', () => {
  it('an inner error', () => {
    const message = 'CausalConv1d do tiling failed, ret is -1.';
    expect(cannText({ code: 'EZ9999', message }, '8.5.0', stamp)).toBe(
      [
        'EZ9999: Inner Error!',
        `EZ9999[PID: 3687] ${MOMENT} AclNN_Inner_Error(EZ9999):  ${message}`,
        '        TraceBack (most recent call last):',
        '       Check NnopbaseExecutorDoTiling(executor) failed',
      ].join('\n'),
    );
  });

  it('an error of the caller', () => {
    const [first, second] = cannText(
      { code: 'EL0003', message: 'The argument is invalid.' },
      '9.0.0',
      stamp,
    ).split('\n');
    expect(first).toBe(`[PID: 3687] ${MOMENT} Invalid_Argument(EL0003): The argument is invalid.`);
    expect(second).toBe('        Solution: Try again with a valid argument.');
  });
});

describe('torch_npu', () => {
  const { profile } = npu('Ascend910B1', { cann: '8.2.RC1' });

  it('around an aclnn operator', () => {
    const operation = 'aclnnConvolutionBackward';
    const lines = torchNpuText(format, profile, { operation, route: 'aclnn' }, stamp).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'NPU function error: call aclnnConvolutionBackward failed, error code is 561103',
      '[ERROR] 2025-03-17-11:49:50 (PID:3687, Device:0, RankID:-1) ERR00100 PTA call acl api failed',
      'E69999: Inner Error!',
    ]);
    const refused = { code: 'EZ1001', message: 'no' };
    expect(torchNpuText(refused, profile, { operation, route: 'aclnn' }, stamp)).toContain(
      '161002',
    );
  });

  it('around a graph operator', () => {
    const wrapper = { operation: 'Conv3DBackpropFilter', route: 'acl_op' } as const;
    const [first, second] = torchNpuText(format, profile, wrapper, stamp).split('\n');
    expect(first).toBe('OPS function error: Conv3DBackpropFilter, error code is 500002');
    expect(second).toContain('ERR01100 OPS call acl api failed');
  });
});

it('inner codes are those that torch_npu takes for such', () => {
  expect(['E69999', 'EZ9999', 'E89999'].every(isInnerCode)).toBe(true);
  expect(['EZ1001', 'EE1001', 'E00999'].some(isInnerCode)).toBe(false);
  expect(Object.keys(INNER_CODES)).toContain('E69999');
  expect(ERROR_CODES.get('EE1001')?.text).toBe('The argument is invalid.Reason: %s');
  expect(layoutOf('EE1001', '8.2.RC1').source).toBe('corpus');
});
