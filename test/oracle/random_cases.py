"""The calls of random_streams.py. Names are PyTorch's; see README.md for the fields."""

# The last is beyond 32 bits: the generator keeps the lower half.
SEEDS = [0, 1, 42, 123456789, 2 ** 32 + 5]

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")

# name -> the calls made in a row from one seed.
STREAMS = {}


def stream(name, *calls):
    assert name not in STREAMS
    STREAMS[name] = list(calls)


def call(function, *args, **fields):
    return {"function": function, **({"args": list(args)} if args else {}), **fields}


def tensor(values, dtype="float32", **fields):
    return {"values": values, "dtype": dtype, **fields}


for dtype in FLOATS:
    wide = dtype in ("float64", "float32")
    for size in (1, 5, 16, 100) if wide else (20,):
        stream(f"rand-{dtype}-{size}", call("rand", [size], dtype=dtype))
    # From 16 elements on, randn draws in blocks.
    for size in (1, 5, 15, 16, 17, 33, 100) if wide else (5, 16, 40):
        stream(f"randn-{dtype}-{size}", call("randn", [size], dtype=dtype))
    # An odd count leaves a sample in the cache, which outlives a rand().
    stream(f"randn-rand-randn-{dtype}", *(
        call(function, [size], dtype=dtype) for function, size in (("randn", 3), ("rand", 2), ("randn", 3))))
    stream(f"uniform-{dtype}", call("uniform_", -2, 3, shape=[20], dtype=dtype))
    for size in (7, 40):
        stream(f"normal-{dtype}-{size}", call("normal_", 1.5, 1.7, shape=[size], dtype=dtype))
    for name, function, *args in (
            ("exponential", "exponential_"), ("exponential-slow", "exponential_", 0.3),
            ("cauchy", "cauchy_"), ("cauchy-moved", "cauchy_", 2, 0.5),
            ("log-normal", "log_normal_"), ("log-normal-narrow", "log_normal_", 0.5, 0.25),
            ("geometric", "geometric_", 0.3), ("geometric-rare", "geometric_", 0.01)):
        stream(f"{name}-{dtype}", call(function, *args, shape=[30 if wide else 15], dtype=dtype))

for dtype in FLOATS + INTEGERS + ("bool",):
    if dtype != "float16":
        stream(f"bernoulli-in-place-{dtype}", call("bernoulli_", 0.3, shape=[30], dtype=dtype))
    stream(f"random-{dtype}", call("random_", shape=[12], dtype=dtype))
    stream(f"random-to-{dtype}", call("random_", 2, shape=[12], dtype=dtype))
    stream(f"random-from-{dtype}", call("random_", 1, None, shape=[12], dtype=dtype))
    stream(f"randint-{dtype}", call("randint", 2, [12], dtype=dtype))
    if dtype != "bool":
        stream(f"random-from-to-{dtype}", call("random_", 3, 120, shape=[12], dtype=dtype))
        stream(f"randperm-{dtype}", call("randperm", 40, dtype=dtype))
for dtype in INTEGERS:
    stream(f"geometric-{dtype}", call("geometric_", 0.2, shape=[12], dtype=dtype))
stream("random-int32-all", call("random_", -2 ** 31, None, shape=[12], dtype="int32"))
for dtype in ("int64", "float64", "float32", "bfloat16"):
    stream(f"random-64-bits-{dtype}", call("random_", -2 ** 63, None, shape=[12], dtype=dtype))
    stream(f"random-wide-{dtype}", call("random_", -2 ** 40, 2 ** 52, shape=[12], dtype=dtype))
# Bounds that the dtype cannot hold move inwards.
stream("random-moved-float32", call("random_", -2 ** 24 - 5, 2 ** 24 + 5, shape=[12], dtype="float32"))
stream("random-moved-float16", call("random_", -4099, 4099, shape=[12], dtype="float16"))
stream("random-moved-bfloat16", call("random_", 257, 1023, shape=[12], dtype="bfloat16"))

stream("randint-10", call("randint", 0, 10, [50]))
stream("randint-wide", call("randint", -5, 2 ** 31, [50]))
stream("randint-two-words", call("randint", 0, 2 ** 40, [20]))
stream("randperm-10", call("randperm", 10))
stream("randperm-100", call("randperm", 100))
for shape in ([], [0, 3], [2, 3, 4]):
    stream(f"shapes-{'x'.join(map(str, shape))}", *(
        call(function, shape, dtype="float32") for function in ("rand", "randn", "rand")))

# Memory in another order than the indices: drawn in the order of the memory.
for layout, shape in (("transposed", [4, 6]), ("permuted", [2, 3, 4]), ("strided", [3, 8])):
    for function, *args in (
            ("uniform_",), ("normal_",), ("bernoulli_", 0.4), ("bernoulli_", tensor(0.4)), ("exponential_",),
            ("random_", 9), ("geometric_", 0.2), ("cauchy_",), ("log_normal_",)):
        kind = "-tensor" if args and isinstance(args[0], dict) else ""
        stream(f"{layout}-{function}{kind}", call(function, *args, shape=shape, dtype="float32", layout=layout))
for layout, shape in (("transposed", [4, 6]), ("permuted", [2, 3, 4]), ("strided", [3, 8]), ("expanded", [4, 5])):
    for function, *args in (("rand_like",), ("randn_like",), ("randint_like", 9), ("randint_like", -3, 9)):
        stream(f"{layout}-{function}{len(args)}", call(function, *args, shape=shape, dtype="float32", layout=layout))

ROW = [i / 11 for i in range(12)]
GRID = [[0.1, 0.5, 0.9, 0.3], [0.8, 0.2, 0.6, 0.4], [0.0, 1.0, 0.7, 0.5]]
for dtype in ("float64", "float32", "bfloat16"):
    stream(f"bernoulli-{dtype}", call("bernoulli", tensor(ROW, dtype)), call("bernoulli", tensor(ROW, dtype)))
    stream(f"bernoulli-like-{dtype}", call("bernoulli", tensor(ROW, dtype), 0.4))
    stream(f"bernoulli-probabilities-{dtype}", call("bernoulli_", tensor(GRID, dtype), shape=[3, 4], dtype="float32"))
    stream(f"bernoulli-integers-{dtype}", call("bernoulli_", tensor(GRID[0], dtype), shape=[3, 4], dtype="int64"))
    stream(f"bernoulli-transposed-{dtype}", call("bernoulli", tensor(GRID, dtype, transposed=True)),
           call("bernoulli_", tensor(GRID, dtype), shape=[3, 4], dtype="float32", layout="transposed"))

MANY = [(i * 37 % 101) / 4 for i in range(200)]
for dtype in ("float64", "float32"):
    for count in (1, 3, 8):
        stream(f"multinomial-{dtype}-{count}", call("multinomial", tensor(ROW, dtype), count))
    stream(f"multinomial-rows-{dtype}", call("multinomial", tensor(GRID, dtype), 1),
           call("multinomial", tensor(GRID, dtype), 3))
    stream(f"multinomial-transposed-{dtype}", call("multinomial", tensor(GRID, dtype, transposed=True), 3))
    stream(f"multinomial-many-{dtype}", call("multinomial", tensor(MANY, dtype), 20),
           call("multinomial", tensor(MANY, dtype), 20, True))
for dtype in ("float64", "float32", "bfloat16"):
    stream(f"multinomial-replacement-{dtype}", call("multinomial", tensor(ROW, dtype), 30, True))
    stream(f"multinomial-replacement-rows-{dtype}", call("multinomial", tensor(GRID, dtype), 5, True),
           call("multinomial", tensor(GRID, dtype, transposed=True), 5, True))

RATES = [0.0, 0.3, 2.5, 9.5, 10.0, 14.0, 80.0, 3000.0, 1e7]
for dtype in ("float64", "float32"):
    stream(f"poisson-{dtype}", *[call("poisson", tensor(RATES, dtype))] * 4)

MEANS = [[-2.0], [0.5], [7.0]]
STDS = [0.1, 1.0, 3.0, 0.0, 0.25, 2.0]
for dtype in ("float64", "float32"):
    stream(f"normal-mean-{dtype}", call("normal", tensor(MEANS, dtype), 2.5), call("normal", tensor(MEANS, dtype)))
    stream(f"normal-std-{dtype}", call("normal", 1.5, tensor(STDS, dtype)))
    stream(f"normal-both-{dtype}", call("normal", tensor(MEANS, dtype), tensor(STDS, dtype)))
stream("normal-mixed", call("normal", tensor(MEANS, "float32"), tensor(STDS, "float64")),
       call("normal", tensor(MEANS, "float64"), tensor(STDS, "float32")))
stream("normal-size", call("normal", 1.5, 0.5, [5]), call("normal", 1.5, 0.5, [20]))

# name -> one long float64 draw, of which only a hash is kept.
COUNT = 50_000
LONG = {
    name: call(function, *args, shape=shape or [COUNT], dtype="float64", **fields)
    for name, function, args, shape, fields in (
        ("uniform", "uniform_", [-2, 3], None, {}),
        ("normal", "normal_", [], None, {}),
        ("normal-moved", "normal_", [1.5, 1.7], [COUNT + 7], {}),
        # One pair after the other, rather than in blocks.
        ("normal-transposed", "normal_", [-0.3, 0.02], [COUNT // 100, 100], {"layout": "transposed"}),
        ("exponential", "exponential_", [], None, {}),
        ("exponential-slow", "exponential_", [0.3], None, {}),
        ("log-normal", "log_normal_", [], None, {}),
        ("log-normal-wide", "log_normal_", [0.5, 30], None, {}),
        ("cauchy", "cauchy_", [2, 0.5], None, {}),
        ("geometric", "geometric_", [1e-9], None, {}))
}
LONG["multinomial"] = call("multinomial", tensor(MANY, "float64"), 190)
LONG["multinomial-replacement"] = call("multinomial", tensor(MANY, "float64"), COUNT, True)

# name -> one call of torch.nn.init; `options` go by name.
INIT = {}
for dtype in ("float64", "float32"):
    for function, shape, args, options in (
            ("uniform_", [3, 4], [-1, 2], {}),
            ("normal_", [4, 5], [1, 2], {}),
            ("eye_", [3, 5], [], {}),
            ("dirac_", [4, 2, 3], [], {}),
            ("dirac_", [6, 2, 3, 4], [2], {}),
            ("dirac_", [4, 3, 2, 3, 1], [2], {}),
            ("xavier_uniform_", [3, 4], [1.5], {}),
            ("xavier_normal_", [3, 2, 2], [], {}),
            ("kaiming_uniform_", [3, 4], [], {}),
            ("kaiming_uniform_", [3, 2, 2], [], {"a": 0.2, "mode": "fan_out"}),
            ("kaiming_normal_", [3, 4, 2], [], {"nonlinearity": "relu"}),
            ("kaiming_normal_", [3, 4], [], {"mode": "fan_out", "nonlinearity": "tanh"}),
            ("trunc_normal_", [5, 5], [], {}),
            ("trunc_normal_", [5, 5], [0.5, 0.2, 0.1, 1.5], {}),
            ("orthogonal_", [4, 4], [], {}),
            ("orthogonal_", [6, 3], [1.4], {}),
            ("orthogonal_", [3, 7], [], {}),
            ("orthogonal_", [4, 3, 2, 1], [0.5], {}),
            ("sparse_", [7, 4], [0.3], {}),
            ("sparse_", [5, 5], [0.5, 2.0], {})):
        name = "-".join([function, "x".join(map(str, shape)), *map(str, args), *map(str, options.values()), dtype])
        INIT[name] = {"function": function, "shape": shape, "dtype": dtype, "args": args, "options": options}
