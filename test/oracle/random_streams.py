"""random_streams.json and .safetensors: what each random function gives right after torch.manual_seed."""
import array
import hashlib
import struct

import torch

from fixture_json import write_json
from random_cases import INIT, LONG, SEEDS, STREAMS
from safetensors_writer import write_safetensors


def torch_value(value):
    """A tensor from `{values, dtype, transposed?}`; anything else as it is."""
    if not isinstance(value, dict):
        return value
    made = torch.tensor(value["values"], dtype=getattr(torch, value["dtype"]))
    return made.t().contiguous().t() if value.get("transposed") else made


def target(call):
    """An empty tensor of `shape` and `dtype` whose memory has the order of `layout`."""
    shape = call["shape"]
    dtype = getattr(torch, call["dtype"])
    layout = call.get("layout", "contiguous")
    if layout == "transposed":
        return torch.zeros(shape[::-1], dtype=dtype).permute(*range(len(shape) - 1, -1, -1))
    if layout == "permuted":
        return torch.zeros(shape[-1:] + shape[:-1], dtype=dtype).permute(*range(1, len(shape)), 0)
    if layout == "strided":
        return torch.zeros([2 * size for size in shape], dtype=dtype)[tuple(slice(None, None, 2) for _ in shape)]
    if layout == "expanded":
        return torch.zeros([1] + shape[1:], dtype=dtype).expand(shape)
    return torch.zeros(shape, dtype=dtype)


def draw(call):
    function = call["function"]
    arguments = [torch_value(value) for value in call.get("args", [])]
    if function.endswith("_like"):
        return getattr(torch, function)(target(call), *arguments)
    if function.endswith("_"):
        return getattr(target(call), function)(*arguments)
    if "dtype" in call:
        return getattr(torch, function)(*arguments, dtype=getattr(torch, call["dtype"]))
    return getattr(torch, function)(*arguments)


def legacy(state):
    """The same state as PyTorch before 1.3 wrote it: 5048 bytes, with two uniforms for a normal number."""
    data = bytearray(state.tolist()[:5048])
    struct.pack_into("<dddi", data, 5016, 0.3, 0.7, 1.5, 1)
    return torch.tensor(list(data), dtype=torch.uint8)


def saved_states():
    """States, and what is drawn from each: normal numbers, then uniform ones."""
    states = {}
    torch.manual_seed(2 ** 32 + 5)
    states["fresh"] = torch.get_rng_state()
    torch.randn(3)
    states["cached"] = torch.get_rng_state()
    torch.rand(619)
    states["used-up"] = torch.get_rng_state()
    states["legacy"] = legacy(states["cached"])
    tensors = {}
    for name, state in states.items():
        torch.set_rng_state(state)
        tensors[f"state/{name}"] = state
        tensors[f"state/{name}/normal"] = torch.randn(3, dtype=torch.float64)
        tensors[f"state/{name}/uniform"] = torch.rand(700)[-5:]
    tensors["state/after"] = torch.get_rng_state()
    return list(states), tensors


def sha256(drawn):
    """Of the elements in row-major order, as float64 numbers on a little-endian machine."""
    return hashlib.sha256(array.array("d", drawn.double().flatten().tolist()).tobytes()).hexdigest()


def long_streams():
    rows = []
    for name, call in LONG.items():
        hashes = []
        for seed in SEEDS:
            torch.manual_seed(seed)
            hashes.append(sha256(draw(call)))
        rows.append({"name": name, "call": call, "sha256": hashes})
    return rows


def make_random_streams(folder):
    names, tensors = saved_states()
    for seed in SEEDS:
        for name, calls in STREAMS.items():
            torch.manual_seed(seed)
            for index, call in enumerate(calls):
                tensors[f"seed{seed}/{name}/{index}"] = draw(call)
        for name, call in INIT.items():
            torch.manual_seed(seed)
            made = target(call)
            getattr(torch.nn.init, call["function"])(made, *call.get("args", []), **call.get("options", {}))
            tensors[f"seed{seed}/init/{name}"] = made
    write_json(folder / "random_streams.json", {
        "torch": torch.__version__, "seeds": SEEDS,
        "streams": [{"name": name, "calls": calls} for name, calls in STREAMS.items()],
        "long": long_streams(),
        "init": [{"name": name, **call} for name, call in INIT.items()],
        "states": names,
    })
    write_safetensors(folder / "random_streams.safetensors", tensors)
