"""torch_names.json: the public names of torch.nn and torch.nn.functional."""
import types

import torch
import torch.nn.functional as F
from torch import nn

from fixture_json import write_json

# In the namespace of torch.nn.functional, but not of its documented surface.
HELPERS = {"assert_int_or_pair", "boolean_dispatch", "grad", "handle_torch_function", "has_torch_function",
           "has_torch_function_unary", "has_torch_function_variadic", "native_channel_shuffle"}


def functions():
    for name in sorted(vars(F)):
        value = getattr(F, name)
        if name[0].islower() and name not in HELPERS and callable(value) and not isinstance(value, types.ModuleType):
            yield name


def make_torch_names(folder):
    classes = sorted(name for name, value in vars(nn).items() if isinstance(value, type) and not name.startswith("_"))
    write_json(folder / "torch_names.json", {"torch": torch.__version__, "nn": classes, "functional": list(functions())})
