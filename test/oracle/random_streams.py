"""random_streams.json and .safetensors: what each random function gives right after torch.manual_seed."""
import torch

from fixture_json import write_json
from safetensors_writer import write_safetensors

# The last is beyond 32 bits: the generator keeps the lower half.
SEEDS = [0, 1, 42, 123456789, 2 ** 32 + 5]

# name -> the calls made in a row from one seed; each call is a dict of `function` and its arguments.
STREAMS = {}
for dtype in ("float32", "float64"):
    for size in (1, 5, 16, 100):
        STREAMS[f"rand-{dtype}-{size}"] = [{"function": "rand", "size": size, "dtype": dtype}]
    # From 16 elements on, randn draws in blocks.
    for size in (1, 5, 15, 16, 17, 33, 100):
        STREAMS[f"randn-{dtype}-{size}"] = [{"function": "randn", "size": size, "dtype": dtype}]
    # An odd count leaves a sample in the cache, which outlives a rand().
    STREAMS[f"randn-rand-randn-{dtype}"] = [
        {"function": "randn", "size": 3, "dtype": dtype},
        {"function": "rand", "size": 2, "dtype": dtype},
        {"function": "randn", "size": 3, "dtype": dtype},
    ]
    STREAMS[f"uniform-{dtype}"] = [{"function": "uniform_", "size": 20, "dtype": dtype, "low": -2, "high": 3}]
    for size in (7, 40):
        STREAMS[f"normal-{dtype}-{size}"] = [{"function": "normal_", "size": size, "dtype": dtype, "mean": 1.5, "std": 2}]
    STREAMS[f"bernoulli-in-place-{dtype}"] = [{"function": "bernoulli_", "size": 50, "dtype": dtype, "probability": 0.3}]
STREAMS["randint-10"] = [{"function": "randint", "size": 50, "low": 0, "high": 10}]
STREAMS["randint-wide"] = [{"function": "randint", "size": 50, "low": -5, "high": 2 ** 31}]
STREAMS["randperm-10"] = [{"function": "randperm", "size": 10}]
STREAMS["randperm-100"] = [{"function": "randperm", "size": 100}]
STREAMS["bernoulli-tensor"] = [{"function": "bernoulli", "size": 50, "dtype": "float32", "probability": 0.3}]


def draw(call):
    function, size = call["function"], call["size"]
    dtype = getattr(torch, call.get("dtype", "int64"))
    if function in ("rand", "randn"):
        return getattr(torch, function)(size, dtype=dtype)
    if function == "randint":
        return torch.randint(call["low"], call["high"], (size,))
    if function == "randperm":
        return torch.randperm(size)
    if function == "uniform_":
        return torch.empty(size, dtype=dtype).uniform_(call["low"], call["high"])
    if function == "normal_":
        return torch.empty(size, dtype=dtype).normal_(call["mean"], call["std"])
    if function == "bernoulli_":
        return torch.empty(size, dtype=dtype).bernoulli_(call["probability"])
    return torch.bernoulli(torch.full((size,), call["probability"], dtype=dtype))


def make_random_streams(folder):
    tensors = {}
    for seed in SEEDS:
        for name, calls in STREAMS.items():
            torch.manual_seed(seed)
            for index, call in enumerate(calls):
                tensors[f"seed{seed}/{name}/{index}"] = draw(call)
    write_json(folder / "random_streams.json", {
        "torch": torch.__version__, "seeds": SEEDS,
        "streams": [{"name": name, "calls": calls} for name, calls in STREAMS.items()],
    })
    write_safetensors(folder / "random_streams.safetensors", tensors)
