// What versions get wrong, as a list that people can read; the checks stand beside it.

import type { SourceKey } from '../profile/sources.js';

export interface Defect {
  readonly name: 'nd-view' | 'null-gradient' | 'forward-groups' | 'mixed-runtime';
  readonly code: string | null;
  readonly what: string;
  readonly where: string;
  readonly remedies: readonly string[];
  readonly sources: readonly SourceKey[];
}

export const DEFECTS: readonly Defect[] = [
  {
    name: 'nd-view',
    code: 'E69999',
    what: 'illegal format of x: a 5-D view of a matrix is stored as ND, which Conv3DBackpropFilter refuses',
    where:
      'torch_npu before 7.2.RC1.alpha003 with internal formats allowed or JIT compilation on (acl_op route)',
    remedies: [
      'cast x to NCDHW (30)',
      'torch.npu.config.allow_internal_format = False and torch.npu.set_compile_mode(jit_compile=False)',
      'torch_npu 7.2.0 or later',
    ],
    sources: ['illegal_format', 'oppl', 'infer_fmt', 'incident'],
  },
  {
    name: 'null-gradient',
    code: null,
    what: 'core dump where only dw is wanted and the kernel covers the whole input',
    where: 'CANN before 8.5.1 with torch_npu 7.3.0 and 7.3.1',
    remedies: ['CANN 8.5.1 or later', 'torch_npu 2.7.1.post4 or later'],
    sources: ['dxnull', 'oppl', 'incident'],
  },
  {
    name: 'forward-groups',
    code: 'EZ1001',
    what: 'Conv3dv2 only supports groups = 1 or groups = cin',
    where: 'CANN before 8.1.RC1',
    remedies: ['CANN 8.1.RC1 or later'],
    sources: ['old_groups'],
  },
  {
    name: 'mixed-runtime',
    code: 'EE1001',
    what: 'Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4)',
    where: 'CANN 8.5.0 or later with an older runtime first in the library path',
    remedies: ['keep one CANN installation in LD_LIBRARY_PATH'],
    sources: ['stream', 'streammsg', 'streamcall', 'incident'],
  },
];
