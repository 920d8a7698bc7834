"""Arguments of the operation cases: as JSON, and as PyTorch takes them."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from case_table import Input, Module, snake
from operation_tensors import DTYPES


def encode(value, given, store):
    """The JSON of an argument; `given` maps the Input objects to their tensors."""
    if isinstance(value, Input):
        tensor = {"tensor": store.given(given[value])}
        if value.dtype in ("float32", "float64"):
            # A dtype that was asked for does not follow that of the run.
            tensor["dtype"] = value.dtype
        return {**tensor, "grad": True} if value.grad else tensor
    if isinstance(value, Module):
        return {"module": value.path, "args": encode(value.args, given, store),
                "options": encode(value.options, given, store)}
    if isinstance(value, (list, tuple)):
        return [encode(item, given, store) for item in value]
    if isinstance(value, dict):
        return {name: encode(item, given, store) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if value is Ellipsis:
        return {"undefined": True}
    return value


def inputs_of(value):
    """Every Input inside a value, in order."""
    if isinstance(value, Input):
        return [value]
    if isinstance(value, Module):
        return inputs_of(value.args) + inputs_of(value.options)
    if isinstance(value, (list, tuple)):
        return [found for item in value for found in inputs_of(item)]
    if isinstance(value, dict):
        return [found for item in value.values() for found in inputs_of(item)]
    return []


def resolve(value, leaves, dtype, names=None):
    """The value as PyTorch takes it."""
    if isinstance(value, Input):
        return leaves[value]
    if isinstance(value, Module):
        return build(value.path, value.args, value.options, leaves, dtype)
    if isinstance(value, (list, tuple)):
        items = [resolve(item, leaves, dtype) for item in value]
        return items if any(isinstance(item, (torch.Tensor, nn.Module, list)) for item in items) else tuple(items)
    if isinstance(value, dict):
        return {name: resolve(item, leaves, dtype) for name, item in value.items()}
    if isinstance(value, str) and value in DTYPES:
        return DTYPES[value]
    return None if value is Ellipsis else value


def keywords(options, leaves, dtype):
    return {snake(name): resolve(value, leaves, dtype) for name, value in options.items()}


def build(path, args, options, leaves, dtype):
    kind = getattr(nn, path.removeprefix("nn."))
    module = kind(*(resolve(item, leaves, dtype) for item in args), **keywords(options, leaves, dtype))
    # A loss keeps no parameters but may hold weights, which the caller already made in this dtype.
    return module.to(dtype)


def callee(row):
    if callable(row["torch"]):
        return row["torch"]
    path = row["torch"] or row["path"]
    if row["kind"] == "method" and path.endswith("_"):
        # In-place forms write into a copy: a leaf that wants a gradient may not be written.
        return lambda self, *args, **options: getattr(self.clone(), snake(path))(*args, **options)
    if row["kind"] == "method" and row["torch"] is None:
        return lambda self, *args, **options: getattr(self, snake(path))(*args, **options)
    namespace = {"F": F, "nn": nn, "torch": torch}.get(path.split(".")[0], torch)
    return getattr(namespace, snake(path.split(".")[-1]))
