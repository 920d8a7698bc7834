"""The MeshNet of shared/data/brain in PyTorch: one JSON command a line, one JSON answer a line.

{"do": "load", "weights", "volume", "edge", "dilations"}
{"do": "run", "threads"}   -> {"ms", "counts"}, of the labels of the whole volume
"""

import json
import sys
import time

import numpy
import torch

state = {}


def load(command):
    layers = []
    for i, d in enumerate(command["dilations"]):
        layers += [torch.nn.Conv3d(1 if i == 0 else 5, 5, 3, padding=d, dilation=d), torch.nn.ReLU()]
    layers.append(torch.nn.Conv3d(5, 3, 1))
    model = torch.nn.Module()
    model.model = torch.nn.Sequential(*layers)
    model.load_state_dict(torch.load(command["weights"]))
    volume = numpy.fromfile(command["volume"], dtype=numpy.float32)
    state.update(model=model, x=torch.from_numpy(volume).reshape([1, 1] + [command["edge"]] * 3))
    return {"torch": torch.__version__}


def run(command):
    torch.set_num_threads(command["threads"])
    begin = time.perf_counter()
    labels = state["model"].model(state["x"]).argmax(1)
    ms = (time.perf_counter() - begin) * 1000
    return {"ms": ms, "counts": torch.bincount(labels.flatten(), minlength=3).tolist()}


COMMANDS = {"load": load, "run": run}

with torch.no_grad():
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(COMMANDS[command["do"]](command)), flush=True)
