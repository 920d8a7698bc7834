"""Compares fixture folders by their numbers, since files of equal content may differ in bytes."""
import json
import math

import torch

from safetensors_writer import read_safetensors

LOADERS = {
    ".json": lambda path: json.loads(path.read_text()),
    ".safetensors": read_safetensors,
    ".pt": torch.load,
}


def same_tensor(left, right):
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    # Another processor may round the last digits differently; float32 training drifts a little further.
    tolerance = 1e-9 if left.dtype == torch.float64 else 1e-3
    return torch.allclose(left.double(), right.double(), rtol=tolerance, atol=tolerance, equal_nan=True)


def same(left, right):
    if isinstance(left, torch.Tensor):
        return isinstance(right, torch.Tensor) and same_tensor(left, right)
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return left == right


def differences(fresh_root, stored_root):
    """One line for each file that is missing or says something else."""
    found = []
    for fresh in sorted(path for path in fresh_root.rglob("*") if path.suffix in LOADERS):
        name = fresh.relative_to(fresh_root)
        stored = stored_root / name
        load = LOADERS[fresh.suffix]
        if not stored.exists():
            found.append(f"{name}: missing")
        elif not same(load(fresh), load(stored)):
            found.append(f"{name}: differs")
    return found
