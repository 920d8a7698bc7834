"""Files of torch.save: a state dict, a whole training checkpoint, and one tensor of every dtype and layout."""
import math

import torch
from torch import nn

from fixture_json import write_json
from safetensors_writer import write_safetensors


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm3d(2)
        self.up = nn.ConvTranspose3d(2, 3, 2, stride=2, bias=False)
        self.classify = nn.Linear(3, 2)

    def forward(self, x):
        x = self.up(torch.relu(self.norm(self.conv(x))))
        return self.classify(x.mean((2, 3, 4)))


def trained_network():
    """Two steps of Adam: the running statistics and the optimizer's moments are no longer their defaults."""
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.randn(2, 1, 3, 4, 5)).pow(2).sum().backward()
        optimizer.step()
    return model, optimizer


def dtype_tensors():
    """One tensor per dtype with the values that are easily lost, then the layouts that are easily misread."""
    extremes = {
        "float64": [0.1, -1e300, 5e-324, math.inf],
        "float32": [0.1, -3.4e38, 1e-45, -0.0, math.nan],
        # Subnormals, the largest finite value, and both infinities.
        "float16": [0.1, 65504.0, 6e-8, -1e-5, math.inf, -math.inf, math.nan],
        "bfloat16": [0.1, 3.38e38, 1e-40, -2.5, math.inf, math.nan],
        # Beyond 2**53 a JavaScript number is no longer exact.
        "int64": [2 ** 53 + 1, -2 ** 63, 2 ** 63 - 1, 0],
        "int32": [-2 ** 31, 2 ** 31 - 1, 7],
        "int16": [-2 ** 15, 2 ** 15 - 1],
        "int8": [-128, 127, 0],
        "uint8": [0, 255, 128],
        "bool": [True, False, True],
    }
    tensors = {name: torch.tensor(values, dtype=getattr(torch, name)) for name, values in extremes.items()}
    whole = torch.arange(10, dtype=torch.float32)
    tensors["transposed"] = torch.arange(6, dtype=torch.float32).reshape(2, 3).t()
    tensors["channels_last_3d"] = torch.randn(2, 3, 2, 1, 2).contiguous(memory_format=torch.channels_last_3d)
    tensors["shared_first"] = whole[1:5]
    tensors["shared_second"] = whole[3:9:2].reshape(3, 1)
    tensors["expanded"] = torch.tensor([[1.5], [-2.5]]).expand(2, 3)
    tensors["scalar"] = torch.tensor(3.25, dtype=torch.float64)
    tensors["empty"] = torch.empty(2, 0, 3)
    tensors["parameter"] = nn.Parameter(torch.randn(2))
    return tensors


def json_value(value):
    if isinstance(value, float) and not math.isfinite(value):
        # The names JavaScript's Number() reads.
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def bytes_of(tensor):
    """The elements in row-major order, little-endian."""
    flat = tensor.detach().reshape(-1).contiguous()
    # NumPy has no bfloat16.
    return (flat.view(torch.int16) if flat.dtype == torch.bfloat16 else flat).numpy().tobytes()


def describe(name, tensor):
    values = tensor.detach().reshape(-1)
    values = values.double() if values.is_floating_point() else values
    values = [json_value(value) for value in values.tolist()]
    if tensor.dtype == torch.int64:
        values = [str(value) for value in values]
    return {
        "name": name, "dtype": str(tensor.dtype).split(".")[1], "shape": list(tensor.shape), "values": values,
        "bytes": bytes_of(tensor).hex(),
    }


def make_checkpoints(folder):
    torch.manual_seed(11)
    model, optimizer = trained_network()
    torch.save(model.state_dict(), folder / "checkpoint.pt")
    write_safetensors(folder / "checkpoint.safetensors", model.state_dict())
    torch.save({
        "epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "note": "text", "history": [0.5, 0.25], "shape": torch.Size([1, 2, 3]),
    }, folder / "training_checkpoint.pt")
    torch.save(model.state_dict(), folder / "checkpoint_legacy.pt", _use_new_zipfile_serialization=False)

    tensors = dtype_tensors()
    torch.save(tensors, folder / "dtypes.pt")
    torch.save(tensors, folder / "dtypes_legacy.pt", _use_new_zipfile_serialization=False)
    write_json(folder / "dtypes.json", {
        "torch": torch.__version__, "tensors": [describe(name, tensor) for name, tensor in tensors.items()],
    })
