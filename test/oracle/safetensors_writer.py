"""Reads and writes safetensors files with nothing but torch and the standard library."""
import ctypes
import json
import struct

import torch

NAMES = {
    torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
    torch.uint8: "U8", torch.bool: "BOOL",
}
DTYPES = {name: dtype for dtype, name in NAMES.items()}


def raw_bytes(tensor):
    tensor = tensor.detach().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def write_safetensors(path, tensors):
    # The order of the reference writer: wide dtypes first, so that every tensor starts aligned.
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header, chunks, offset = {}, [], 0
    for name in order:
        tensor = tensors[name]
        data = raw_bytes(tensor)
        header[name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        dtype = DTYPES[entry["dtype"]]
        # frombuffer refuses an empty buffer.
        flat = torch.frombuffer(bytearray(data[start:end]), dtype=dtype) if end > start else torch.empty(0, dtype=dtype)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors
