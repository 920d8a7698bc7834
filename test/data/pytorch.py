"""What PyTorch 1.13 and NumPy make of the cases of this folder, as JSON (test/data/pytorch.json).

    /usr/bin/python3 test/data/pytorch.py > test/data/pytorch.json
"""

import base64
import io
import json

import numpy as np
import torch
from torch.utils.data import (
    DataLoader,
    RandomSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    random_split,
)

WEIGHTS = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6]


def generator(seed):
    return torch.Generator().manual_seed(seed)


# name: (length of the dataset, keyword arguments of the loader)
LOADERS = {
    "shuffle": (10, lambda: dict(batch_size=4, shuffle=True)),
    "shuffle, full batches only": (7, lambda: dict(batch_size=3, shuffle=True, drop_last=True)),
    "shuffle, batches divide": (6, lambda: dict(batch_size=3, shuffle=True)),
    "sequential": (5, lambda: dict(batch_size=2)),
    "generator": (9, lambda: dict(batch_size=4, shuffle=True, generator=generator(11))),
    "replacement": (
        9,
        lambda: dict(
            batch_size=20, sampler=RandomSampler(range(9), replacement=True, num_samples=40)
        ),
    ),
    "more samples than there are": (
        5,
        lambda: dict(batch_size=6, sampler=RandomSampler(range(5), num_samples=12)),
    ),
    "subset": (50, lambda: dict(batch_size=6, sampler=SubsetRandomSampler([40, 3, 17, 5, 9, 28]))),
    "weighted": (6, lambda: dict(batch_size=8, sampler=WeightedRandomSampler(WEIGHTS, 20))),
    "weighted, each once": (
        6,
        lambda: dict(batch_size=4, sampler=WeightedRandomSampler(WEIGHTS, 5, replacement=False)),
    ),
    "weighted, a single one": (6, lambda: dict(sampler=WeightedRandomSampler(WEIGHTS, 1))),
}


def loader_row(name, seed, epochs=3):
    length, options = LOADERS[name]
    torch.manual_seed(seed)
    loader = DataLoader(list(range(length)), **options())
    orders = [[batch.tolist() for batch in loader] for _ in range(epochs)]
    # One more number shows that nothing else was drawn.
    after = torch.rand(1, dtype=torch.float64).item()
    return dict(name=name, seed=seed, epochs=orders, after=after)


def split_row(length, lengths):
    parts = random_split(range(length), lengths, generator=generator(42))
    return dict(length=length, lengths=lengths, parts=[list(part.indices) for part in parts])


def npy_row(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    values = array.tolist()
    return dict(
        dtype=array.dtype.str,
        fortran=bool(array.flags.f_contiguous and not array.flags.c_contiguous),
        version=version,
        shape=array.shape,
        values=json.loads(json.dumps(values)),
        base64=base64.b64encode(file.getvalue()).decode(),
    )


def npy_rows():
    ramp = np.arange(6).reshape(2, 3)
    codes = "?bBhHiIqQefd"
    yield from (npy_row((ramp % 2 if code == "?" else ramp).astype(code)) for code in codes)
    yield from (npy_row((ramp - 2).astype(code)) for code in (">i2", ">i4", ">i8", ">f2", ">f8"))
    yield npy_row(np.asfortranarray(np.arange(24, dtype="<f4").reshape(2, 3, 4)))
    yield npy_row(np.asfortranarray(ramp.astype(">u2")))
    yield npy_row(np.array(2.5))
    yield npy_row(np.zeros((0, 4), "<f4"))
    yield npy_row(ramp.astype("<f4"), (2, 0))
    yield npy_row(ramp.astype("<f4"), (3, 0))


def main():
    rows = dict(
        loaders=[loader_row(name, seed) for name in LOADERS for seed in (7, 2023)],
        splits=[
            split_row(10, [3, 7]),
            split_row(30, [0.3, 0.3, 0.4]),
            split_row(11, [0.5, 0.25, 0.25]),
            split_row(10, [0.1] * 10),
            split_row(7, [0.33, 0.33, 0.34]),
        ],
        npy=list(npy_rows()),
    )
    print(json.dumps(rows))


main()
