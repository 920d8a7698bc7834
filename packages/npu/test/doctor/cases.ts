// The fifteen public cases and the two incidents, as what a user would paste. The lines that carry the
// diagnosis have the texts that the cases quote; what is around them is rebuilt in the layouts of CANN
// and torch_npu.

export interface Case {
  readonly name: string;
  /** Where the case is public. */
  readonly source: string;
  readonly log?: string;
  readonly env?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** Id and certainty of every finding, the surest first. */
  readonly findings: readonly (readonly [id: string, certainty: string])[];
  /** What the first finding's remedies say. */
  readonly remedy: RegExp;
}

const TRACE = `Traceback (most recent call last):
  File "train.py", line 88, in <module>
    loss.backward()
  File "/usr/local/lib/python3.10/site-packages/torch/autograd/__init__.py", line 200, in backward
    Variable._execution_engine.run_backward(`;

const innerOld = (message: string) => `E69999: Inner Error!
E69999: [PID: 3687] 2025-03-17-11:49:50.181.289 ${message}
        TraceBack (most recent call last):`;

const inner85 = (message: string) => `EZ9999: Inner Error!
EZ9999[PID: 584] 2026-06-22-11:12:13.398.186 AclNN_Inner_Error(EZ9999):  ${message}
        TraceBack (most recent call last):
       Check NnopbaseExecutorDoTiling(executor) failed`;

const minimumLoad = (a: number, b: number, width: number) =>
  `Minimum load size may exceed L1 buffer, a_l1_size is ${a}B, b_l1_size is ${b}B, fill_zero_size is 0B, L1size is 524288B, width may exceed limits, actual width: ${width}, width limit: 4096`;

const aclnn = (api: string, code: number) =>
  `RuntimeError: operator():build/CMakeFiles/torch_npu.dir/compiler_depend.ts:32 NPU function error: call ${api} failed, error code is ${code}
[ERROR] 2026-03-17-11:49:50 (PID:3687, Device:0, RankID:-1) ERR00100 PTA call acl api failed`;

const graph = (operator: string) =>
  `RuntimeError: OPS function error: ${operator}, error code is 500002
[ERROR] 2025-03-17-11:49:50 (PID:3687, Device:0, RankID:-1) ERR01100 OPS call acl api failed`;

const STREAM =
  'EE1001: [PID: 2210] 2026-07-01-09:12:44.100.200 The argument is invalid.Reason: Invalid stream attribute ID: 4, Supported stream attribute IDs: [1, 4).';

const toolkit = (home: string, version: string, arch = 'aarch64') => ({
  [`${home}/${version}/${arch}-linux/ascend_toolkit_install.info`]: `package_name=Ascend-cann-toolkit
version=${version}
innerversion=V100R001C21SPC001B238
arch=${arch}
os=linux
path=${home}/${version}/${arch}-linux
`,
});

const cann = (root: string, version: string, arch = 'aarch64') => ({
  [`${root}/${arch}-linux/ascend_toolkit_install.info`]: `package_name=Ascend-cann-toolkit
version=${version}
arch=${arch}
`,
});

export const CASES: readonly Case[] = [
  {
    name: '1: illegal format of x on the graph route',
    source: 'https://github.com/hiyouga/LlamaFactory/issues/7334',
    log: `Ascend910B2C, CANN version: 8.0.T63
torch 2.1.0
torch_npu 2.1.0.post10
${TRACE}
${graph('Conv3DBackpropFilter')}
${innerOld('op[Conv3DBackpropFilter3], illegal format of x.[FUNC:Conv3DBackpropFilterInfer][FILE:conv.cc][LINE:1]')}`,
    findings: [
      ['nd-format', 'certain'],
      ['unknown-cann', 'possible'],
    ],
    remedy: /allow_internal_format = False.*jit_compile=False/,
  },
  {
    name: '2: the graph operator alone',
    source: 'https://github.com/hiyouga/LlamaFactory/issues/7352',
    log: `torch==2.4.0
CANN 8.0.RC2, 910B2
${TRACE}
${graph('Conv3DBackpropFilter')}`,
    findings: [
      ['version-pair', 'certain'],
      ['acl-op-route', 'possible'],
    ],
    remedy: /CANN 8\.0\.RC3/,
  },
  {
    name: '3: vllm-ascend allows internal formats',
    source: 'https://github.com/vllm-project/vllm-ascend/issues/5920',
    log: `vllm_ascend 0.11.0rc1
model_runner_v1.py:170: torch.npu.config.allow_internal_format = True
${TRACE}
${innerOld('op[Conv3DBackpropFilter], illegal format of x.')}`,
    findings: [['nd-format', 'certain']],
    remedy: /allow_internal_format = False/,
  },
  {
    name: '4: conv3d fails in fine-tuning',
    source: 'https://github.com/Ascend/pytorch/issues/73',
    log: `vllm-ascend v0.9.2rc1
${TRACE}
${graph('Conv3DBackpropFilter')}`,
    findings: [['acl-op-route', 'possible']],
    remedy: /allow_internal_format = False.*jit_compile=False/,
  },
  {
    name: '5: groups before 8.1.RC1',
    source: 'https://github.com/Ascend/pytorch/issues/85',
    log: `torch_npu 2.4.0, CANN 8.0.RC3
${aclnn('aclnnConvolution', 161002)}
EZ1001: [PID: 51715] 2025-08-04-12:34:15.167.986 Conv3dv2 only supports groups = 1 or groups = cin`,
    findings: [['forward-groups', 'certain']],
    remedy: /CANN 8\.1\.RC1 or later/,
  },
  {
    name: '6: a torch_npu for another CANN',
    source: 'https://github.com/hiyouga/LlamaFactory/issues/7986',
    log: `torch 2.5.1
torch_npu 2.5.1
CANN: 8.0.RC3
E40021: [PID: 99] 2025-05-06-10:00:00.000.001 Failed to compile Op [Conv3D1_to_Conv3dv2]. (oppath: [x/conv3dv2.py], optype: [Conv3DV2])
build op model failed, result = 500002`,
    findings: [
      ['version-pair', 'certain'],
      ['op-compile', 'likely'],
    ],
    remedy: /CANN 8\.1\.RC1 for torch_npu 2\.5\.1/,
  },
  {
    name: '7: 310P',
    source: 'https://github.com/vllm-project/vllm-ascend/issues/5017',
    log: `Ascend 300I DUO
EZ3003: [PID: 12] 2025-12-15-10:00:00.000.001 No supported Ops kernel and engine are found for [Conv3D1], optype [Conv3D].`,
    findings: [['conv3d-unsupported', 'certain']],
    remedy: /Atlas A2 or A3/,
  },
  {
    name: '8: two installations in the library path',
    source: 'https://github.com/vllm-project/vllm-ascend/issues/12389',
    env: `PATH=/usr/bin
LD_LIBRARY_PATH=/usr/local/Ascend/cann-9.0.0/lib64:/usr/local/Ascend/ascend-toolkit/latest/lib64:/usr/lib
SHELL=/bin/bash`,
    findings: [['mixed-libraries', 'certain']],
    remedy: /keep one CANN installation/,
  },
  {
    name: '9: nnal of another version',
    source: 'https://github.com/Ascend/pytorch/issues/99',
    log: `torch_npu 2.7.1, CANN 8.3.RC1
 OSError: /home/mtp/Ascend/nnal/atb/latest/atb/cxx_abi_1/lib/libtbe_adapter.so: undefined symbol: _ZN3Mki2DlC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEb`,
    findings: [['nnal-mismatch', 'likely']],
    remedy: /nnal package of the same version as CANN \(8\.3\.RC1\)/,
  },
  {
    name: '10: the C++ ABI of ATB',
    source: 'https://github.com/vllm-project/vllm-ascend/issues/1144',
    env: 'ATB_HOME_PATH=/usr/local/Ascend/nnal/atb/latest/atb/cxx_abi_1',
    log: 'ImportError: /opt/mindie_turbo/libatb_ops.so: undefined symbol: _ZNK6AsdOps3Ops18GetOperationByNameERKSs',
    findings: [['cxx-abi', 'likely']],
    remedy: /install PyTorch and torch_npu first/,
  },
  {
    name: '11: libruntime of another version',
    source: 'https://github.com/PaddlePaddle/PaddleX/issues/4749',
    log: 'ImportError: /usr/local/Ascend/ascend-toolkit/8.0.RC3.alpha003/aarch64-linux/lib64/libruntime.so: undefined symbol: _ZN12ErrorManager19ATCReportErrMessageESsRKSt6vectorISsSaISsEES4_',
    findings: [
      ['mixed-libraries', 'likely'],
      ['unknown-cann', 'possible'],
    ],
    remedy: /keep one CANN installation/,
  },
  {
    name: '12: an operator that CANN does not have yet',
    source: 'https://github.com/vllm-project/vllm-ascend/issues/7095',
    log: `(EngineCore_DP0 pid=6727) RuntimeError: aclnnAddRmsNormBias or aclnnAddRmsNormBiasGetWorkspaceSize not in libopapi.so, or libopapi.sonot found.`,
    findings: [['cann-too-old', 'likely']],
    remedy: /a newer CANN/,
  },
  {
    name: '13: a transposed convolution of open sizes',
    source: 'https://github.com/Ascend/pytorch/issues/52',
    log: `torch.npu.set_compile_mode(jit_compile=False)
E60108: 2024-09-09-06:13:16.140.829 In op[conv3d_backprop_input], [prebuild failed, not support input size's shape [-1] and [-2]]
        TraceBack (most recent call last):
        Failed to compile Op [Conv3DTranspose1]. (oppath: [Compile /usr/local/Ascend/ascend-toolkit/8.0.RC2.alpha003/opp/built-in/x.py failed`,
    findings: [
      ['transposed-dynamic-shape', 'likely'],
      ['unknown-cann', 'possible'],
    ],
    remedy: /jit_compile=True/,
  },
  {
    name: '14: 561103 alone',
    source: 'https://github.com/Ascend/pytorch/issues/90',
    log: `${TRACE}\n${aclnn('aclnnConvolutionBackward', 561103)}`,
    findings: [['inner-nullptr', 'possible']],
    remedy: /read the plog/,
  },
  {
    name: '15a: PyTorch 2.7.1 on 8.2.RC1, internal format allowed',
    source: 'https://www.hiascend.com/developer/techArticles/20260708-6',
    log: `torch 2.7.1
torch_npu 2.7.1.dev20250724
CANN 8.2.RC1
torch.npu.config.allow_internal_format = True
${TRACE}
${graph('Conv3DBackpropFilter')}
${innerOld('op[Conv3DBackpropFilter2], illegal format of x.')}`,
    findings: [
      ['nd-format', 'certain'],
      ['version-pair', 'certain'],
      ['pre-release', 'possible'],
    ],
    remedy: /allow_internal_format = False/,
  },
  {
    name: '15b: then 8.5.0 and the null gradient',
    source: 'https://www.hiascend.com/developer/techArticles/20260708-6',
    log: `torch 2.7.1, torch_npu 2.7.1.post2, CANN 8.5.0
Fatal Python error: Segmentation fault
#3 0x0000fffdd aclnnConvolutionBackwardGetWorkspaceSize () from /usr/local/Ascend/cann-8.5.0/lib64/libopapi_nn.so
Segmentation fault (core dumped)`,
    findings: [['null-gradient', 'certain']],
    remedy: /CANN 8\.5\.1 or later/,
  },
  {
    name: '15c: then 8.5.1 with an older runtime first',
    source: 'https://www.hiascend.com/developer/techArticles/20260708-6',
    log: `torch 2.7.1, torch_npu 2.7.1.post2\n${STREAM}`,
    env: `ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.1
LD_LIBRARY_PATH=/usr/local/Ascend/ascend-toolkit/latest/lib64:/usr/local/Ascend/cann-8.5.1/lib64`,
    files: {
      ...toolkit('/usr/local/Ascend/ascend-toolkit', '8.3.RC1'),
      '/usr/local/Ascend/ascend-toolkit/latest/version.cfg':
        '# version: 1.0\nruntime_running_version=[8.3.0.1.200:8.3.RC1]\n',
      ...cann('/usr/local/Ascend/cann-8.5.1', '8.5.1'),
    },
    findings: [
      ['older-runtime-first', 'certain'],
      ['stream-attribute', 'certain'],
      ['several-installations', 'possible'],
    ],
    remedy: /keep one CANN installation/,
  },
  {
    name: '15d: the log of that alone',
    source: 'https://www.hiascend.com/developer/techArticles/20260708-6',
    log: STREAM,
    findings: [['stream-attribute', 'likely']],
    remedy: /keep one CANN installation/,
  },
  {
    name: 'incident 2: train04 overflows L1 under 8.2.RC1',
    source: '../shared/facts/patterns.json',
    log: `Ascend910B1, CANN 8.2.RC1, torch_npu 2.6.0
${aclnn('aclnnConvolutionBackward', 561103)}
${innerOld(`op[Conv3DBackpropInputV2], Error msg: ${minimumLoad(530432, 25088, 296)}`)}`,
    findings: [['input-gradient-l1', 'certain']],
    remedy: /composite or the tiled strategy/,
  },
  {
    name: 'incident 2: train05 overflows L1 under 8.5.0',
    source: '../shared/facts/patterns.json',
    log: `Ascend910B1, CANN 8.5.0
${aclnn('aclnnConvolutionBackward', 561103)}
${inner85(minimumLoad(483840, 41472, 168))}`,
    findings: [['input-gradient-l1', 'certain']],
    remedy: /composite or the tiled strategy/,
  },
];
