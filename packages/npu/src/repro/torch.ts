import type { ReproCall } from './call.js';
import { BACKWARD, parameters, TOLERANCE } from './python.js';

/** A script for PyTorch alone: native and composite backward side by side. */
export const torchScript = (
  call: ReproCall,
): string => `"""${call.text}: native and composite backward of a convolution in PyTorch.

    python repro.py [--scale N] [--reference]

Exit code 0: both run and agree; 1: one fails or they differ. REPRO_DEVICE names another device.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

${parameters(call)}
${TOLERANCE}
DEVICE = os.environ.get("REPRO_DEVICE", "cpu")


def print_versions():
    print("python %s, torch %s, device %s" % (sys.version.split()[0], torch.__version__, DEVICE))


def prepare(x, w, g):
    return x, w, g


def synchronize():
    if DEVICE.startswith("cuda"):
        torch.cuda.synchronize()


${BACKWARD}`;
