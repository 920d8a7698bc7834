"""initial_values.json and .safetensors: what torch.manual_seed and a row of constructors give."""
import torch
from torch import nn

from fixture_json import snake_case, write_json
from safetensors_writer import write_safetensors

SEEDS = [0, 1, 42]
DTYPES = {"float32": torch.float32, "float64": torch.float64}
# Created one after the other from one seed, so a draw too many or too few shows in the next module.
MODULES = [
    ("Conv3d", [1, 2, 3], {"padding": 1}),
    ("Conv3d", [4, 4, [1, 2, 3]], {"groups": 2}),
    ("Conv3d", [2, 3, 2], {"bias": False}),
    ("Conv3d", [3, 3, 3], {"groups": 3, "paddingMode": "circular"}),
    # Fan-in 16, where the order of operations in the bound shows in the last digit.
    ("Conv3d", [2, 2, 2], {}),
    ("ConvTranspose3d", [2, 3, 2], {"stride": 2}),
    ("ConvTranspose3d", [4, 2, [2, 1, 2]], {"groups": 2, "outputPadding": 1, "stride": 2, "bias": False}),
    ("BatchNorm3d", [3], {}),
    ("Conv1d", [2, 3, 3], {}),
    ("Conv2d", [2, 2, [3, 2]], {"dilation": 2}),
    ("Linear", [5, 3], {}),
    ("Linear", [3, 1], {"bias": False}),
    # Less than 16 elements: the uniform stream must still follow on exactly.
    ("Conv3d", [1, 1, 1], {}),
]


def make_initial_values(folder):
    tensors = {}
    keys = [[] for _ in MODULES]
    for seed in SEEDS:
        for dtype_name, dtype in DTYPES.items():
            torch.manual_seed(seed)
            for index, (name, args, options) in enumerate(MODULES):
                args = [tuple(value) if isinstance(value, list) else value for value in args]
                module = getattr(nn, name)(*args, dtype=dtype, **snake_case(options))
                state = module.state_dict()
                keys[index] = list(state)
                tensors.update((f"seed{seed}/{dtype_name}/{index}.{key}", value) for key, value in state.items())
    write_json(folder / "initial_values.json", {
        "torch": torch.__version__, "seeds": SEEDS, "dtypes": list(DTYPES),
        "modules": [{"index": index, "module": name, "args": args, "options": options, "keys": keys[index]}
                    for index, (name, args, options) in enumerate(MODULES)],
    })
    write_safetensors(folder / "initial_values.safetensors", tensors)
