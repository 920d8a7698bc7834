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
} as const;

export type SourceKey = keyof typeof SOURCES;
