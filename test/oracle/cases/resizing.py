"""Padding, interpolation, grids, and moving channels into space."""
import math


from case_table import C, I, Table, V, X
from written_oracles import interpolate_nearest

table = Table("resizing")
function, module = table.function, table.module

# ---- padding ----

for mode in ("constant", "reflect", "replicate", "circular"):
    function("F.pad", X(2, 3, 4), [1, 2], mode=mode)
    function("F.pad", X(2, 2, 3, 4), [1, 0, 2, 1], mode=mode)
    function("F.pad", X(1, 2, 4, 3, 3), [1, 2, 0, 1, 2, 1], mode=mode)
    function("F.pad", X(2, 2, 5), [-1, 2], mode=mode)
    function("F.pad", X(0, 2, 5), [1, 2], mode=mode)
function("F.pad", X(2, 3, 4), [1, 2])
function("F.pad", X(2, 3), [1, 0, 2, 3], value=1.5)
function("F.pad", X(2, 3), [-1, 1, 0, -1], value=-2)
function("F.pad", X(3), [2, 2], value=math.inf)
function("F.pad", X(2, 3, 4), [0, 1, 1, 0, 2, 0])
function("F.pad", I([1, 2]), [1, 1], value=7)
function("F.pad", X(2, 4), [1, 3], mode="reflect")
function("F.pad", X(2, 4), [2, 5], mode="replicate")

SPACES = {"1d": ((2, 3, 4), [1, 2]), "2d": ((2, 2, 3, 4), [1, 2, 2, 0]), "3d": ((1, 2, 4, 3, 3), [1, 2, 0, 1, 2, 1])}
for rank, (shape, padding) in SPACES.items():
    module(f"nn.ConstantPad{rank}", [padding, 1.5], X(*shape))
    module(f"nn.ConstantPad{rank}", [1, -2], X(*shape[1:]))
    for name in ("ReflectionPad", "ReplicationPad"):
        module(f"nn.{name}{rank}", [padding], X(*shape))
        module(f"nn.{name}{rank}", [1], X(*shape))
module("nn.ZeroPad2d", [[1, 2, 0, 1]], X(2, 3, 3, 4))
module("nn.ZeroPad2d", [2], X(2, 3, 4))

# ---- interpolation ----

LINE, PLANE, SPACE = (2, 2, 5), (2, 1, 4, 5), (1, 2, 4, 5, 3)
for shape, size in ((LINE, [8]), (PLANE, [7, 3]), (SPACE, [6, 3, 4])):
    for mode in ("nearest", "nearest-exact", "area"):
        function("F.interpolate", X(*shape), size=size, mode=mode)
        function("F.interpolate", X(*shape), scaleFactor=2, mode=mode)
for shape, size, mode in ((LINE, [8], "linear"), (PLANE, [7, 3], "bilinear"), (PLANE, [7, 3], "bicubic"),
                          (SPACE, [6, 3, 4], "trilinear")):
    for align in (False, True):
        function("F.interpolate", X(*shape), size=size, mode=mode, alignCorners=align)
        function("F.interpolate", X(*shape), scaleFactor=1.5, mode=mode, alignCorners=align)
        function("F.interpolate", X(*shape), scaleFactor=1.7, recomputeScaleFactor=True, mode=mode, alignCorners=align)
    function("F.interpolate", X(*shape), scaleFactor=0.6, mode=mode)
    function("F.interpolate", X(*shape), size=3, mode=mode)
    function("F.interpolate", X(*shape), size=1, mode=mode, alignCorners=True)
function("F.interpolate", X(*SPACE), size=[5, 5, 5])
function("F.interpolate", X(*SPACE), scaleFactor=[1.5, 0.5, 2.3], torch=interpolate_nearest,
         written="with scale factors per axis, PyTorch's gradient does not belong to its values")
function("F.interpolate", X(*SPACE), scaleFactor=[1.5, 0.5, 2.3], mode="trilinear", alignCorners=False)
function("F.interpolate", X(*SPACE), scaleFactor=0.7)
function("F.interpolate", X(0, 2, 4, 5, 3), scaleFactor=2, mode="trilinear")
function("F.interpolate", X(1, 1, 1, 1, 1), scaleFactor=2, mode="trilinear", alignCorners=True)
for mode in ("bilinear", "bicubic"):
    function("F.interpolate", X(1, 2, 6, 7), size=[3, 4], mode=mode, antialias=True)
    function("F.interpolate", X(1, 2, 6, 7), size=[3, 9], mode=mode, antialias=True, alignCorners=True)
module("nn.Upsample", [], X(*SPACE), scaleFactor=2)
module("nn.Upsample", [], X(*SPACE), scaleFactor=2, mode="trilinear", alignCorners=True)
module("nn.Upsample", [], X(*SPACE), size=[5, 7, 6], mode="trilinear")
module("nn.Upsample", [], X(*LINE), size=9, mode="linear", alignCorners=False)
module("nn.Upsample", [], X(*PLANE), scaleFactor=[2, 1.5], mode="bilinear")
function("F.upsample", X(*SPACE), size=[5, 7, 6], mode="trilinear", alignCorners=True)
function("F.upsample", X(*SPACE), scaleFactor=2)
function("F.upsampleNearest", X(*PLANE), scaleFactor=2)
function("F.upsampleNearest", X(*SPACE), size=[5, 7, 6])
function("F.upsampleBilinear", X(*PLANE), scaleFactor=2)
function("F.upsampleBilinear", X(*PLANE), size=[6, 7])
module("nn.UpsamplingNearest2d", [], X(*PLANE), scaleFactor=2)
module("nn.UpsamplingNearest2d", [], X(*PLANE), size=[6, 7])
module("nn.UpsamplingBilinear2d", [], X(*PLANE), scaleFactor=2)
module("nn.UpsamplingBilinear2d", [], X(*PLANE), size=[6, 7])

# ---- grids ----

# Inside, on, and beyond the edges; 0.3 keeps samples off the halves where "nearest" would hang on rounding.
for mode in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for align in (False, True):
            options = {"mode": mode, "paddingMode": padding, "alignCorners": align}
            function("F.gridSample", X(1, 2, 4, 5, 3), X(1, 2, 3, 2, 3), **options)
            function("F.gridSample", X(2, 2, 4, 5), X(2, 3, 2, 2), **options)
for padding in ("zeros", "border", "reflection"):
    for align in (False, True):
        function("F.gridSample", X(2, 2, 4, 5), X(2, 3, 2, 2), mode="bicubic", paddingMode=padding, alignCorners=align)
function("F.gridSample", X(1, 1, 3, 3, 3), V([[[[[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.5, 0.0, -1.5]]]]]), alignCorners=True)
function("F.gridSample", X(1, 2, 4, 5, 3), X(1, 2, 3, 2, 3))
function("F.gridSample", X(0, 2, 4, 5, 3), X(0, 2, 3, 2, 3))
for align in (False, True):
    function("F.affineGrid", X(2, 3, 4), [2, 1, 3, 4, 2], alignCorners=align)
    function("F.affineGrid", X(2, 2, 3), [2, 1, 3, 4], alignCorners=align)

# ---- channels and space ----

function("F.pixelShuffle", X(2, 8, 2, 3), 2)
function("F.pixelShuffle", X(9, 2, 2), 3)
function("F.pixelUnshuffle", X(2, 2, 4, 6), 2)
function("F.pixelUnshuffle", X(1, 3, 6), 3)
function("F.channelShuffle", C(2, 6, 2, 2), 3)
function("F.channelShuffle", C(1, 4, 2, 3), 2)
module("nn.PixelShuffle", [2], X(2, 8, 2, 3))
module("nn.PixelShuffle", [1], X(2, 2, 2))
module("nn.PixelUnshuffle", [2], X(2, 2, 4, 6))
module("nn.PixelUnshuffle", [3], X(1, 3, 6))
module("nn.ChannelShuffle", [2], C(1, 6, 2, 2))
module("nn.ChannelShuffle", [3], C(1, 6, 2, 2))
WINDOWS = {"dilation": [1, 2], "padding": [2, 1], "stride": 2}
function("F.unfold", X(2, 2, 5, 6), 3)
function("F.unfold", X(2, 2, 5, 6), [2, 3], **WINDOWS)
function("F.unfold", X(2, 5, 6), 2)
function("F.fold", X(2, 8, 20), [5, 6], 2)
function("F.fold", X(2, 12, 8), [5, 6], [2, 3], **WINDOWS)
module("nn.Unfold", [2], X(2, 2, 5, 6))
module("nn.Unfold", [[2, 3]], X(2, 2, 5, 6), **WINDOWS)
module("nn.Fold", [[5, 6], 2], X(2, 8, 20))
module("nn.Fold", [[5, 6], [2, 3]], X(2, 12, 8), **WINDOWS)
