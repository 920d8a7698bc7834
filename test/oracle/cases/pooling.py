"""Pooling in one to three dimensions, and its reversal."""
from case_table import I, Table, VX, X

table = Table("pooling")
function, module = table.function, table.module
NAMED = {"fields": ["output", "indices"]}
SHAPES = {1: (2, 3, 7), 2: (2, 2, 5, 6), 3: (1, 2, 5, 4, 6)}
MIXED = {1: [3], 2: [2, 3], 3: [2, 1, 3]}
NAN = float("nan")

for rank, shape in SHAPES.items():
    calls = [
        ([2], {}),
        ([3], {"stride": 2, "padding": 1}),
        ([MIXED[rank]], {"stride": MIXED[rank][::-1], "ceilMode": True}),
        ([2], {"dilation": 2, "stride": 1}),
        ([3], {"stride": 2, "padding": 1, "ceilMode": True}),
    ]
    for args, options in calls:
        function(f"F.maxPool{rank}d", X(*shape), *args, **options)
        function(f"F.maxPool{rank}dWithIndices", X(*shape), *args, **NAMED, **options)
    function(f"F.maxPool{rank}d", X(*shape[1:]), 2)
    function(f"F.maxPool{rank}d", X(0, *shape[1:]), 2)
    module(f"nn.MaxPool{rank}d", [2], X(*shape))
    module(f"nn.MaxPool{rank}d", [3], X(*shape), stride=2, padding=1, ceilMode=True)
    module(f"nn.MaxPool{rank}d", [2], X(*shape), returnIndices=True, **NAMED)

    averages = [([2], {}), ([3], {"stride": 2, "padding": 1}), ([MIXED[rank]], {"stride": 1, "ceilMode": True}),
                ([3], {"stride": 2, "padding": 1, "countIncludePad": False}),
                ([3], {"stride": 2, "padding": 1, "ceilMode": True}),
                ([3], {"stride": 2, "padding": 1, "ceilMode": True, "countIncludePad": False})]
    if rank > 1:
        averages.append(([2], {"divisorOverride": 3}))
        averages.append(([3], {"padding": 1, "divisorOverride": 2, "ceilMode": True}))
    for args, options in averages:
        function(f"F.avgPool{rank}d", X(*shape), *args, **options)
        module(f"nn.AvgPool{rank}d", args, X(*shape), **options)
    function(f"F.avgPool{rank}d", X(*shape[1:]), 2)

    for size in (1, 3, MIXED[rank][::-1], 9):
        function(f"F.adaptiveAvgPool{rank}d", X(*shape), size)
        function(f"F.adaptiveMaxPool{rank}d", X(*shape), size)
        function(f"F.adaptiveMaxPool{rank}dWithIndices", X(*shape), size, **NAMED)
    if rank > 1:
        size = [None, *MIXED[rank][1:]]
        function(f"F.adaptiveAvgPool{rank}d", X(*shape), size)
        function(f"F.adaptiveMaxPool{rank}d", X(*shape), size)
    function(f"F.adaptiveAvgPool{rank}d", X(*shape[1:]), 2)
    module(f"nn.AdaptiveAvgPool{rank}d", [2], X(*shape))
    module(f"nn.AdaptiveAvgPool{rank}d", [MIXED[rank]], X(*shape))
    module(f"nn.AdaptiveMaxPool{rank}d", [2], X(*shape))
    module(f"nn.AdaptiveMaxPool{rank}d", [MIXED[rank]], X(*shape), returnIndices=True, **NAMED)

# Ties give the first, NaN wins.
function("F.maxPool1dWithIndices", VX([[[1.0, 1.0, 2.0, NAN, 0.0, 0.0]]]), 2, **NAMED)
function("F.maxPool2dWithIndices", VX([[[[1.0, 1.0], [NAN, 1.0]]]]), 2, **NAMED)
function("F.maxPool3dWithIndices", VX([[[[[3.0, 3.0], [1.0, 3.0]]]]]), [1, 2, 2], **NAMED)

# ---- unpooling: indices of one pool each ----

function("F.maxUnpool1d", X(1, 2, 3), I([[[1, 2, 4], [0, 3, 5]]]), 2)
function("F.maxUnpool1d", X(1, 2, 3), I([[[1, 2, 4], [0, 3, 5]]]), 2, outputSize=[7])
function("F.maxUnpool2d", X(1, 1, 2, 2), I([[[[0, 3], [9, 14]]]]), 2)
function("F.maxUnpool2d", X(1, 2, 2), I([[[0, 3], [9, 14]]]), 2, stride=2, outputSize=[5, 4])
VOXELS = I([[[[[0, 3], [9, 14]], [[17, 22], [30, 31]]]]])
function("F.maxUnpool3d", X(1, 1, 2, 2, 2), VOXELS, 2)
function("F.maxUnpool3d", X(1, 1, 2, 2, 2), VOXELS, [2, 2, 2], stride=[2, 2, 2], padding=0, outputSize=[1, 1, 5, 4, 5])
module("nn.MaxUnpool1d", [2], X(1, 2, 3), I([[[1, 2, 4], [0, 3, 5]]]))
module("nn.MaxUnpool1d", [2], X(1, 2, 3), I([[[1, 2, 4], [0, 3, 5]]]), call={"outputSize": [7]})
module("nn.MaxUnpool2d", [2], X(1, 1, 2, 2), I([[[[0, 3], [9, 14]]]]))
module("nn.MaxUnpool2d", [3], X(1, 1, 2, 2), I([[[[0, 2], [6, 8]]]]), stride=2, padding=1)
module("nn.MaxUnpool3d", [2], X(1, 1, 2, 2, 2), VOXELS)
module("nn.MaxUnpool3d", [2], X(1, 1, 2, 2, 2), VOXELS, call={"outputSize": [5, 4, 4]})

for rank, shape in ((1, (2, 2, 7)), (2, (2, 2, 5, 6))):
    for args, options in (([2, 2], {}), ([3, 3], {"stride": 2}), ([1, 2], {"ceilMode": True})):
        # Positive: PyTorch's rule has sign(x)·relu(|x|), whose corners are no part of a pool's meaning.
        function(f"F.lpPool{rank}d", X(*shape, kind="positive"), *args, **options)
        module(f"nn.LPPool{rank}d", args, X(*shape, kind="positive"), **options)
    function(f"F.lpPool{rank}d", X(*shape), 2, 2)
