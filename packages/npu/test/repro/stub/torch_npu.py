"""Stands in for torch_npu where there is no NPU: its functions, on the CPU."""

import types

import torch

__version__ = "2.7.1.stub"


def npu_format_cast(tensor, _format):
    return tensor


def get_npu_format(_tensor):
    return 30


torch.npu = types.SimpleNamespace(
    config=types.SimpleNamespace(allow_internal_format=True),
    conv=types.SimpleNamespace(allow_hf32=True),
    set_compile_mode=lambda jit_compile: None,
    is_available=lambda: True,
    get_device_name=lambda _index: "Ascend910B1 (stub)",
    synchronize=lambda: None,
)
