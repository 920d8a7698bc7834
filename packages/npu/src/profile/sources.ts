// Where each fact of this package is written down. Table rows and refusals name a key of this list,
// so that every number can be looked up. Nothing here was measured on hardware.

export const SOURCES = {
  plat_head:
    'hicann/runtime@681ef7610d (2026-08-22) src/platform/platform_config/{cann,cann-dev}/<SoC>.ini',
  plat_kirin: 'hicann/runtime@681ef7610d src/platform/platform_config/{kirin,kirin-dev}/<SoC>.ini',
  plat_81:
    'leideng/CANN-8.1.RC1@551ed27c29 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/data/platform_config/<SoC>.ini',
  compat: 'Ascend/pytorch@9e73e708ab COMPATIBILITY.en.md',
  opsinfo:
    'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/opp/built-in/op_impl/ai_core/tbe/config/<soc>/aic-<soc>-ops-info.json',
  dx_check:
    'hicann/ops-nn HEAD e5c3fa9327 conv/conv3d_backprop_input_v2/op_host/op_tiling/common/conv_backprop_input_context_utils.cpp:1581-1630 CheckL1SizeLimit (+1539-1579 GetDfactor, 700-766 shapes); same logic v8.5.0-beta.1..v9.2.0-beta.1; Hayden727/cann-ops@eef0ff770e src/conv/conv3d_backprop_input_v2/op_host/conv3d_backprop_input.cpp',
  dw_check:
    'Hayden727/cann-ops@eef0ff770e src/common/op_host/op_tiling/cube/impl/cube_tiling_param.cc CheckMinL1Size; hicann/ops-nn v9.1.0+ conv/convolution_backward/op_api/aclnn_convolution_backward.cpp IsExceedL1For3DDw',
  fwd_check:
    'Hayden727/cann-ops src/common/op_host/op_tiling/cube/impl/cube_tiling_param.cc Conv3DTilingParam::CalcMinAL1Size',
  load3d:
    'hicann/ops-nn v8.5.0 conv/common/op_host/op_tiling/arch35/conv_api_tiling_util.h:263-266 (LOAD3D_MAX_*)',
  doc_bwd:
    'hicann/ops-nn v8.5.0 conv/convolution_backward/docs/aclnnConvolutionBackward.md (constraints table)',
  doc_bwd_products:
    'hicann/ops-nn HEAD and Hayden727/cann-ops src/conv/aclnn/docs aclnnConvolutionBackward doc',
  doc_fwd: 'hicann/ops-nn v8.5.0 conv/convolution_forward/docs/aclnnConvolution.md:318-421',
  old_groups: 'https://github.com/Ascend/pytorch/issues/85',
  dxnull:
    'hicann/ops-nn commit 69ac6a79e (2026-01-26, branch 8.5.0 after tag v8.5.0 of 2026-01-23), master twin 6a789b7c0',
  tbe: 'leideng/CANN-8.1.RC1 opp/built-in/op_impl/ai_core/tbe/impl/conv3d_backprop_filter_d.py, conv3d_backprop_input_d.py',
  format_check:
    'hicann/ops-nn v8.5.0 conv/convolution_backward/op_api/convolution_backward_checker.cpp:43-66',
  aclfmt:
    'hicann/runtime include/external/acl/acl_base_rt.h:172-191; Ascend/pytorch@9e73e708ab torch_npu/npu/_format.py',
  geformat: 'leideng/CANN-8.1.RC1 aarch64-linux/include/graph/types.h',
  infer_fmt:
    'Ascend/pytorch torch_npu/csrc/framework/InferFormat.cpp; Ascend/op-plugin op_plugin/utils (ConvertType by dim count) op_api_common.cpp',
  illegal_format: 'https://github.com/hiyouga/LlamaFactory/issues/7334',
  oppl: 'Ascend/op-plugin op_plugin/ops/opapi/ConvolutionBackwardKernelNpuOpApi.cpp (+ commits quoted)',
  jitdef:
    'Ascend/pytorch torch_npu/csrc/framework/interface/EnvVariables.cpp:172-210 (CheckJitDisableInner)',
  intfmtdef:
    'Ascend/pytorch torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp:44-54,281-286; absent in v2.1.0-6.0.rc2, present in v2.1.0-6.0.rc3',
  soc_ids: 'Ascend/pytorch torch_npu/csrc/core/npu/NpuVariables.h:4-36',
  hf32: 'Ascend/pytorch torch_npu/csrc/framework/interface/EnvVariables.cpp:313-345; torch_npu/csrc/framework/utils/CalcuOpUtil.cpp:407-428,443-452; EnvVariables.cpp:237-250',
  hf32_bits:
    'https://hiascend.com/document/detail/zh/CANNCommunityEdition/80RC3alpha001/devaids/auxiliarydevtool/atlasatc_16_0101.html (--allow_hf32)',
  hf32_round:
    'https://www.hiascend.com/document/detail/en/CANNCommunityEdition/900/API/ascendcopapi/atlasascendc_api_07_0259.html (SetHF32TransMode)',
  stream:
    'hicann/runtime include/external/acl/acl_rt.h enum aclrtStreamAttr; pkg_inc/runtime/runtime/rts/rts_stream.h RT_STREAM_ATTR_MAX (per tag)',
  stream_none: 'leideng/CANN-8.1.RC1 headers (enum absent)',
  stream82:
    'https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/82RC1alpha003/API/appdevgapi/aclcppdevg_03_1874.html',
  stream83:
    'https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/83RC1alpha001/API/appdevgapi/aclcppdevg_03_1873.html',
  stream85:
    'https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/850alpha002/API/appdevgapi/aclcppdevg_03_1873.html',
  stream91:
    'https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/910beta2/API/runtimeapi/aclcppdevg_03_1873.html',
  streammsg:
    'hicann/runtime src/runtime/feature/src/api/api_c_stream.cc (v8.5.0-beta.1:455; v8.5.0:452,494)',
  streamcall:
    'hicann/opbase src/nnopbase/composite_op/aclnn_engine/op_dfx.cpp:402 (HEAD; :383 at v8.5.0), src/nnopbase/individual_op/executor/indv_profiling.cpp:157 (HEAD)',
  cache_op_info: 'Ascend/pytorch torch_npu/csrc/core/npu/NPUGraph.cpp:128 apply_cache_op_info',
  incident: 'https://www.hiascend.com/developer/techArticles/20260708-6',
  ret: 'hicann/ops-nn docs/zh/context/aclnn_return_code.md',
  after_failure: 'https://github.com/Ascend/pytorch/issues/90',
  errjson:
    'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/conf/error_manager/error_code.json (518 entries)',
  errhdr:
    'hicann/ops-nn common/inc/error_util.h (CUBE_INNER_ERR_REPORT=E69999, vector=E89999); hicann/opbase op_common/log/log.h',
  rterr: 'hicann/runtime include/external/acl/error_codes/rt_error_codes.h',
  ptaerr: 'Ascend/pytorch torch_npu/csrc/core/npu/NPUException.{h,cpp}, NPUErrorCodes.h',
  corpus: 'logs in public issues of Ascend/pytorch and its users (layout only)',
  setenv: 'hicann/runtime scripts/package/runtime/set_env.sh:46-71 (all 13 tags checked)',
  mixed_path: 'https://github.com/vllm-project/vllm-ascend/issues/12389',
  install_info:
    'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/ascend_toolkit_install.info',
  version_info:
    'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/runtime/version.info',
  version_cfg: 'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/latest/version.cfg',
  cann_layout: 'hicann/ops-nn docs/zh/install/quick_install.md; hicann/runtime cann_info_utils.cpp',
  setenv_old: 'leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/script/set_env.sh',
  renamed_libraries: 'https://github.com/sgl-project/sglang/pull/22843',
  graph_operator: 'https://github.com/hiyouga/LlamaFactory/issues/7352',
  internal_format_set: 'https://github.com/vllm-project/vllm-ascend/issues/5920',
  conv3d_tuning: 'https://github.com/Ascend/pytorch/issues/73',
  conv3d_compile: 'https://github.com/hiyouga/LlamaFactory/issues/7986',
  conv3d_310p: 'https://github.com/vllm-project/vllm-ascend/issues/5017',
  nnal_symbol: 'https://github.com/Ascend/pytorch/issues/99',
  cxx_abi: 'https://github.com/vllm-project/vllm-ascend/issues/1144',
  error_manager: 'https://github.com/PaddlePaddle/PaddleX/issues/4749',
  aclnn_missing: 'https://github.com/vllm-project/vllm-ascend/issues/7095',
  transposed_dynamic: 'https://github.com/Ascend/pytorch/issues/52',
} as const;

export type SourceKey = keyof typeof SOURCES;
