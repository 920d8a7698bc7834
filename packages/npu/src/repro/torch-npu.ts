import { findFormat, formatId } from '../formats/formats.js';
import type { ReproCall } from './call.js';
import { BACKWARD, parameters, TOLERANCE } from './python.js';
import type { ReproDevice } from './voxgrad.js';

/** A script for torch_npu: versions, format cast, native and composite backward side by side. */
export function torchNpuScript(call: ReproCall, device: Partial<ReproDevice> = {}): string {
  const { input } = call.formats;
  const format = input === undefined ? (call.rank === 3 ? 'NCDHW' : undefined) : findFormat(input);
  const id = format === undefined ? '' : String(formatId(format));
  const internal = device.allowInternalFormat ? 1 : 0;
  const jit = device.jitCompile ? 1 : 0;
  return `"""${call.text}: native and composite backward of a convolution on an Ascend NPU.

    python repro.py [--scale N] [--reference]

Exit code 0: both run and agree; 1: one fails or they differ.
    REPRO_DEVICE=npu:0           the device
    REPRO_FORMAT=${id.padEnd(16)}storage format of x that is cast to (NCDHW is 30, ND is 2); empty: none
    REPRO_INTERNAL_FORMAT=${internal}      torch.npu.config.allow_internal_format
    REPRO_JIT_COMPILE=${jit}          torch.npu.set_compile_mode(jit_compile=...)
    REPRO_HF32=0                 1 leaves float32 convolutions to HF32, the default of the chip
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
import torch_npu

${parameters(call)}
${TOLERANCE}
DEVICE = os.environ.get("REPRO_DEVICE", "npu:0")
FORMAT = os.environ.get("REPRO_FORMAT", "${id}")
HF32 = os.environ.get("REPRO_HF32", "0") == "1"
if HF32 and DTYPE == torch.float32:
    TOLERANCE = 5e-3  # 11 bits of the mantissa


SWITCHES = {"REPRO_INTERNAL_FORMAT": "${internal}", "REPRO_JIT_COMPILE": "${jit}"}


def on(name):
    return os.environ.get(name, SWITCHES[name]) == "1"


def configure():
    """Switches that exist in this torch_npu."""
    torch.npu.config.allow_internal_format = on("REPRO_INTERNAL_FORMAT")
    torch.npu.set_compile_mode(jit_compile=on("REPRO_JIT_COMPILE"))
    if hasattr(torch.npu, "conv"):
        torch.npu.conv.allow_hf32 = HF32


def cann_versions():
    """What the installation says of itself, and the library path."""
    for name in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "LD_LIBRARY_PATH"):
        print("%s=%s" % (name, os.environ.get(name, "")))
    home = os.environ.get("ASCEND_TOOLKIT_HOME") or os.environ.get("ASCEND_HOME_PATH") or "/usr/local/Ascend/ascend-toolkit/latest"
    for path in glob.glob(os.path.join(home, "*-linux", "ascend_toolkit_install.info")) + [os.path.join(home, "version.cfg")]:
        if os.path.exists(path):
            with open(path) as lines:
                for line in lines:
                    if line.startswith("version=") or "runtime_running_version" in line:
                        print("%s: %s" % (path, line.strip()))
    try:
        with open("/proc/self/maps") as maps:
            for path in sorted({line.split()[-1] for line in maps if "libruntime.so" in line}):
                print("loaded: %s" % path)
    except OSError:
        pass


def print_versions():
    print("python %s, torch %s, torch_npu %s" % (sys.version.split()[0], torch.__version__, torch_npu.__version__))
    print("device %s: %s" % (DEVICE, torch.npu.get_device_name(0) if torch.npu.is_available() else "NOT AVAILABLE"))
    cann_versions()
    print("format %s, allow_internal_format %s, jit_compile %s, hf32 %s" % (FORMAT or "as it is", on("REPRO_INTERNAL_FORMAT"), on("REPRO_JIT_COMPILE"), HF32))


def prepare(x, w, g):
    configure()
    if FORMAT:
        x = torch_npu.npu_format_cast(x, int(FORMAT))
        print("storage format of x: %s" % torch_npu.get_npu_format(x))
    return x, w, g


def synchronize():
    torch.npu.synchronize()


${BACKWARD}`;
}
