"""convolution_errors.json: what PyTorch says to a wrong call."""
import re

import torch
import torch.nn.functional as F
from torch import nn

from fixture_json import snake_case, write_json

FUNCTIONS = {
    "conv1d": F.conv1d, "conv2d": F.conv2d, "conv3d": F.conv3d,
    "convTranspose1d": F.conv_transpose1d, "convTranspose2d": F.conv_transpose2d, "convTranspose3d": F.conv_transpose3d,
}
X, W = [1, 2, 4, 4, 4], [2, 2, 3, 3, 3]

# op, input, weight, bias, options
CALLS = [
    ("conv1d", [1, 3, 6], [2, 2, 3], None, {}),
    ("conv1d", [1, 2, 6, 6], [2, 2, 3], None, {}),
    ("conv1d", [1, 2, 2], [2, 2, 3], None, {}),
    ("conv2d", [1, 3, 6, 6], [2, 2, 3, 3], None, {}),
    ("conv2d", [1, 2, 6], [2, 2, 3, 3], None, {}),
    ("conv2d", [6, 6], [2, 2, 3, 3], None, {}),
    ("conv2d", [1, 2, 2, 6], [2, 2, 3, 3], None, {"dilation": 2}),
    ("conv3d", [1, 3, 4, 4, 4], W, None, {}),
    ("conv3d", [3, 4, 4, 4], W, None, {}),
    ("conv3d", [1, 4, 4, 4, 4], [4, 4, 3, 3, 3], None, {"groups": 2}),
    ("conv3d", [1, 2, 4, 4, 4], [3, 1, 3, 3, 3], None, {"groups": 2}),
    ("conv3d", X, [3, 2, 3, 3, 3], [4], {}),
    ("conv3d", X, W, [2, 1], {}),
    ("conv3d", [1, 2, 4, 4, 2], W, None, {}),
    ("conv3d", [1, 2, 4, 4, 2], W, None, {"dilation": [1, 2, 1], "padding": [0, 0, 1]}),
    ("conv3d", [1, 2, 4, 4, 0], W, None, {"padding": 1}),
    ("conv3d", [1, 2, 4, 4, 0], [2, 2, 1, 1, 1], None, {"padding": 1}),
    ("conv3d", [1, 0, 4, 4, 4], [2, 2, 3, 3, 3], None, {}),
    ("conv3d", [2, 4, 4], W, None, {}),
    ("conv3d", [1, 1, 2, 4, 4, 4], W, None, {}),
    ("conv3d", X, [2, 2, 3, 3], None, {}),
    ("conv3d", X, W, None, {"stride": 0}),
    ("conv3d", X, W, None, {"stride": [1, -1, 1]}),
    ("conv3d", X, W, None, {"groups": 0}),
    ("conv3d", X, W, None, {"padding": -1}),
    ("conv3d", X, W, None, {"padding": [0, 0, -2]}),
    ("conv3d", X, W, None, {"dilation": 0}),
    ("conv3d", X, W, None, {"dilation": [1, 0, 2]}),
    ("conv3d", X, W, None, {"stride": [1, 2]}),
    ("conv3d", X, W, None, {"padding": [1, 2]}),
    ("conv3d", X, W, None, {"padding": "same", "stride": 2}),
    ("conv3d", [3, 9, 3, 1, 9], [3, 3, 3, 1, 9], None, {"padding": "same", "groups": 3, "stride": 2}),
    ("conv3d", X, W, None, {"padding": "full"}),
    ("convTranspose3d", [1, 3, 4, 4, 4], W, None, {}),
    ("convTranspose3d", [1, 2, 3, 3, 3], [2, 3, 2, 2, 2], [2], {}),
    ("convTranspose3d", [1, 2, 3, 3, 3], [2, 2, 2, 2, 2], None, {"outputPadding": 1}),
    ("convTranspose3d", [1, 2, 3, 3, 3], [2, 2, 2, 2, 2], None, {"stride": [2, 2, 1], "outputPadding": [1, 1, 1]}),
    ("convTranspose3d", [1, 2, 3, 3, 3], [2, 2, 2, 2, 2], None, {"stride": 2, "dilation": 3, "outputPadding": 3}),
    ("convTranspose3d", [1, 2, 3, 3, 3], [2, 2, 2, 2, 2], None, {"stride": 2, "outputPadding": -1}),
    ("convTranspose3d", [1, 2, 1, 1, 1], [2, 2, 2, 2, 2], None, {"padding": 1}),
    ("convTranspose3d", [2, 3, 3], [2, 2, 2, 2, 2], None, {}),
    ("convTranspose3d", [1, 3, 2, 2, 2], [3, 1, 2, 2, 2], None, {"groups": 2}),
]

# op, constructor arguments, options, and the input of a forward call where the constructor itself accepts
MODULES = [
    ("Conv3d", [2, 2, 3], {"groups": 0}, None),
    ("Conv3d", [2, 2, 3], {"groups": -1}, None),
    ("Conv3d", [3, 2, 3], {"groups": 2}, None),
    ("Conv3d", [2, 3, 3], {"groups": 2}, None),
    ("Conv3d", [2, 2, 3], {"padding": "same", "stride": 2}, None),
    ("Conv3d", [2, 2, 3], {"padding": "full"}, None),
    ("Conv3d", [2, 2, 3], {"paddingMode": "mirror"}, None),
    ("ConvTranspose3d", [2, 2, 3], {"paddingMode": "circular"}, None),
    ("ConvTranspose3d", [2, 3, 3], {"groups": 2}, None),
    ("Conv3d", [2, 2, 3], {"padding": 4, "paddingMode": "reflect"}, X),
    ("Conv3d", [2, 2, 3], {"padding": [0, 5, 0], "paddingMode": "circular"}, X),
    ("Conv3d", [2, 2, 3], {"padding": 1}, [1, 3, 4, 4, 4]),
]
# ConvTranspose3d(2, 2, 3, stride=2)(zeros(1, 2, 3, 3, 3), output_size)
OUTPUT_SIZES = [(9, 9, 9), (7, 7, 6), (8, 8)]


def message_of(call):
    try:
        call()
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        # Python sets print in a random order ("must be one of {...}"): sort them.
        return re.sub(r"\{(.*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}",
                      str(error).splitlines()[0])
    return None


def function_error(op, input, weight, bias, options):
    tensors = [None if shape is None else torch.zeros(shape, dtype=torch.float64) for shape in (input, weight, bias)]
    message = message_of(lambda: FUNCTIONS[op](*tensors, **snake_case(options)))
    return {"op": op, "input": input, "weight": weight, "bias": bias, "options": options, "message": message}


def module_error(op, args, options, input):
    def call():
        module = getattr(nn, op)(*args, **snake_case(options))
        if input is not None:
            module(torch.zeros(input))
    row = {"op": op, "args": args, "options": options, "message": message_of(call)}
    return row if input is None else {**row, "input": input}


def output_size_error(size):
    module = nn.ConvTranspose3d(2, 2, 3, stride=2)
    message = message_of(lambda: module(torch.zeros(1, 2, 3, 3, 3), output_size=size))
    return {"op": "ConvTranspose3d", "args": [2, 2, 3], "options": {"stride": 2}, "message": message,
            "input": [1, 2, 3, 3, 3], "outputSize": size}


def make_convolution_errors(folder):
    rows = [function_error(*call) for call in CALLS]
    rows += [module_error(*module) for module in MODULES]
    rows += [output_size_error(size) for size in OUTPUT_SIZES]
    write_json(folder / "convolution_errors.json", {"torch": torch.__version__, "errors": rows})
