"""Real PyTorch for the benchmarks: one JSON command a line on standard input, one JSON answer a line.

{"do": "case", "folder", "dtype", "groups", "padding", "x", "weight", "out"}  loads operands
{"do": "run", "pass", "threads"}                     -> {"ms"}, of one pass
{"do": "compare"}                                    -> {"forward", "input", "weight"}, relative errors
"""

import json
import pathlib
import sys
import time

import torch

DTYPES = {"float32": torch.float32, "float64": torch.float64}
case = {}


def read(name, shape):
    data = bytearray((pathlib.Path(case["folder"]) / name).read_bytes())
    return torch.frombuffer(data, dtype=DTYPES[case["dtype"]]).reshape(shape)


def convolve(which, x, weight, grad):
    padding = [case["padding"]] * 3
    if which == "forward":
        return torch.nn.functional.conv3d(x, weight, None, 1, padding, 1, case["groups"])
    mask = [which == "input", which == "weight", False]
    results = torch.ops.aten.convolution_backward(
        grad, x, weight, None, [1, 1, 1], padding, [1, 1, 1], False, [0, 0, 0], case["groups"], mask
    )
    return results[0 if which == "input" else 1]


def operands():
    return case["tensors"]


def load(command):
    case.clear()
    case.update(command)
    case["tensors"] = [read(n, case[s]) for n, s in (("x", "x"), ("weight", "weight"), ("grad", "out"))]
    return {"torch": torch.__version__}


def run(command):
    torch.set_num_threads(command["threads"])
    begin = time.perf_counter()
    convolve(command["pass"], *operands())
    return {"ms": (time.perf_counter() - begin) * 1000}


def compare(_):
    errors = {}
    for which, shape in (("forward", "out"), ("input", "x"), ("weight", "weight")):
        theirs = convolve(which, *operands()).double()
        ours = read("our_" + which, case[shape]).double()
        errors[which] = ((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1)).item()
    return errors


COMMANDS = {"case": load, "run": run, "compare": compare}

with torch.no_grad():
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(COMMANDS[command["do"]](command)), flush=True)
