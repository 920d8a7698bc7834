"""torch_names.json: the public names of torch, Tensor, torch.nn, its functional, utils (with its submodules) and Module."""
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


def is_public(name, value):
    """Not what the module merely imports: modules, and words of typing."""
    return not name.startswith("_") and not isinstance(value, types.ModuleType) and \
        getattr(value, "__module__", "") != "typing"


def callables(module):
    return [name for name, value in sorted(vars(module).items()) if callable(value) and is_public(name, value)]


def own(module):
    """What the module itself defines."""
    return [name for name in callables(module) if getattr(module, name).__module__ == module.__name__]


def members(kind):
    return [name for name in dir(kind) if not name.startswith("_")]


def make_torch_names(folder):
    classes = sorted(name for name, value in vars(nn).items() if isinstance(value, type) and not name.startswith("_"))
    names = {"nn": classes, "functional": list(functions()), "top": callables(torch),
             "Tensor": members(torch.Tensor), "Module": members(nn.Module), "utils": callables(nn.utils),
             "parametrize": own(nn.utils.parametrize), "parametrizations": own(nn.utils.parametrizations)}
    write_json(folder / "torch_names.json", {"torch": torch.__version__, **names})
