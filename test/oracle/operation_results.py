"""Outputs of the operation cases: taken apart, written down, compared."""
import math

import torch


def structure(result, fields):
    """Tensors, lists, named fields and plain values."""
    names = fields or field_names(result)
    if names:
        return {name: part for name, part in zip(names, result)}
    if isinstance(result, (list, tuple)):
        return [structure(part, None) for part in result]
    return result


def field_names(result):
    """The fields of a torch.return_types value, in order."""
    return getattr(type(result), "__match_args__", None) if hasattr(result, "n_sequence_fields") else None


def tensors_of(output):
    if isinstance(output, torch.Tensor):
        return [output]
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, list) else []
    return [tensor for part in parts for tensor in tensors_of(part)]


def describe(output, narrow, store):
    """The JSON of an output; `narrow` is the same output of the float32 run, whose dtypes may surprise."""
    if isinstance(output, torch.Tensor):
        entry = {"tensor": store.result(output)}
        usual = torch.float32 if output.dtype == torch.float64 else output.dtype
        if narrow is not None and narrow.dtype != usual:
            entry["float32"] = str(narrow.dtype).split(".")[1]
        return entry
    if isinstance(output, dict):
        return {"fields": {name: describe(part, narrow and narrow[name], store) for name, part in output.items()}}
    if isinstance(output, list):
        return [describe(part, narrow and narrow[i], store) for i, part in enumerate(output)]
    return {"value": output}


def relative_error(a, b):
    """max|a − b| / max(1, max|b|) over finite numbers; infinity where the others differ."""
    if a is None or b is None or a.numel() == 0:
        return 0.0
    a, b = a.detach().double(), b.detach().double()
    same = (a == b) | (a.isnan() & b.isnan())
    if same.all():
        return 0.0
    difference = (a - b).abs()[~same]
    scale = b.abs()[b.isfinite()]
    worst = difference.max().item()
    return math.inf if math.isnan(worst) else worst / max(1.0, scale.max().item() if scale.numel() else 1.0)
