"""Tensors of the operation cases: drawn once per kind and shape, shared by all cases."""
import hashlib
import zlib

import torch

from safetensors_writer import raw_bytes

DTYPES = {name: getattr(torch, name) for name in (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")}


def draw(kind, shape, index):
    """float32 numbers, so that float32 and float64 compute on the very same inputs."""
    generator = torch.Generator().manual_seed(zlib.crc32(f"{kind}{tuple(shape)}{index}".encode()))
    if kind == "zeros":
        return torch.zeros(shape)
    if kind in ("normal", "wide"):
        return torch.randn(shape, generator=generator) * (3 if kind == "wide" else 1)
    low, high = {"positive": (0.3, 2.5), "unit": (-0.9, 0.9), "probability": (0.05, 0.95), "over1": (1.1, 4)}[kind]
    return torch.rand(shape, generator=generator) * (high - low) + low


class Drawer:
    """The tensors of one case. The n-th of a kind and shape is the same in every case."""

    def __init__(self):
        self.counts = {}

    def draw(self, kind, shape):
        key = (kind, tuple(shape))
        index = self.counts[key] = self.counts.get(key, -1) + 1
        return draw(kind, shape, index)

    def of(self, given):
        if given.kind != "values":
            dtype = DTYPES[given.dtype] if given.dtype else torch.float32
            return self.draw(given.kind, given.shape).to(dtype)
        return torch.tensor(given.values, dtype=DTYPES[given.dtype] if given.dtype else torch.float32)


class Store:
    """The tensors of a fixture by name."""

    def __init__(self):
        self.tensors, self.names, self.row, self.count = {}, {}, None, 0

    def begin(self, row):
        """Results from here on belong to this row."""
        self.row, self.count = row, 0

    def given(self, tensor):
        """Keeps an input; equal ones are stored once."""
        tensor = solid(tensor)
        content = (tensor.dtype, tuple(tensor.shape), hashlib.sha1(raw_bytes(tensor)).digest() if tensor.numel() else b"")
        if content not in self.names:
            self.names[content] = f"given {len(self.names)}"
            self.tensors[self.names[content]] = tensor
        return self.names[content]

    def result(self, tensor):
        """Keeps a result under the name of its row: the next digit of another processor must not change names."""
        name = f"{self.row}: {self.count}"
        self.count += 1
        self.tensors[name] = solid(tensor)
        return name


def solid(tensor):
    tensor = tensor.detach().contiguous()
    # Some zeros of PyTorch are only promised, without storage.
    return torch.zeros(tensor.shape, dtype=tensor.dtype) if tensor._is_zerotensor() else tensor.clone()
