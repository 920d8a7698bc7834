"""Activations, softmax and dropout, as functions and as modules."""
import math

from case_table import C, Table, VX, X
from written_oracles import hardsigmoid

table = Table("activations")
function, module = table.function, table.module
NAN, INF = math.nan, math.inf
# Around the corners of the piecewise functions, and at the ends.
CORNERS = [-INF, -20.0, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0, 6.0, 7.0, 25.0, INF, NAN]
SIXTH = {"torch": hardsigmoid, "written": "PyTorch's float64 gradient takes 1/6 in single precision"}

for path, name in {
    "F.relu": "ReLU", "F.relu6": "ReLU6", "F.selu": "SELU", "F.silu": "SiLU", "F.mish": "Mish",
    "F.hardsigmoid": "Hardsigmoid", "F.hardswish": "Hardswish", "F.logsigmoid": "LogSigmoid", "F.softsign": "Softsign",
    "F.tanhshrink": "Tanhshrink", "F.sigmoid": "Sigmoid", "F.tanh": "Tanh", "F.elu": "ELU", "F.celu": "CELU",
    "F.leakyRelu": "LeakyReLU", "F.hardshrink": "Hardshrink", "F.softshrink": "Softshrink", "F.hardtanh": "Hardtanh",
    "F.softplus": "Softplus", "F.gelu": "GELU",
}.items():
    own = SIXTH if name == "Hardsigmoid" else {}
    function(path, X(2, 3, 4, kind="wide"), **own)
    function(path, VX(CORNERS), **own)
    function(path, X(), **own)
    function(path, X(0, 3), **own)
    module(f"nn.{name}", [], X(2, 3, 4, kind="wide"), **own)


def numbered(function_path, module_path, option, value):
    """The customary number, by position and by name."""
    for args, options in (([value], {}), ([], {option: value})):
        function(function_path, X(3, 4, kind="wide"), *args, **options)
        module(module_path, args, X(3, 4, kind="wide"), **options)
    function(function_path, VX(CORNERS), value)


numbered("F.elu", "nn.ELU", "alpha", 1.5)
numbered("F.celu", "nn.CELU", "alpha", 0.5)
numbered("F.leakyRelu", "nn.LeakyReLU", "negativeSlope", 0.1)
numbered("F.hardshrink", "nn.Hardshrink", "lambd", 0.25)
numbered("F.softshrink", "nn.Softshrink", "lambd", 0.25)


def configured(function_path, module_path, **options):
    function(function_path, X(3, 4, kind="wide"), **options)
    function(function_path, VX(CORNERS), **options)
    module(module_path, [], X(3, 4, kind="wide"), **options)


configured("F.hardtanh", "nn.Hardtanh", minVal=-0.5, maxVal=2)
configured("F.softplus", "nn.Softplus", beta=2, threshold=3)
configured("F.softplus", "nn.Softplus", beta=0.5)
configured("F.gelu", "nn.GELU", approximate="tanh")
configured("F.gelu", "nn.GELU", approximate="none")
function("F.threshold", X(3, 4), 0.25, -2)
function("F.threshold", VX(CORNERS), 0.5, 20)
module("nn.Threshold", [0.25, -2], X(3, 4))
module("nn.Threshold", [-0.5, 1.5], X(2, 3))
function("F.glu", X(2, 3, 4))
function("F.glu", X(2, 3, 4), 0)
module("nn.GLU", [], X(2, 3, 4))
module("nn.GLU", [0], X(2, 3, 4))
function("F.prelu", X(2, 3, 4), X(3))
function("F.prelu", X(2, 3), X(1))
function("F.prelu", VX(CORNERS), X(1))
module("nn.PReLU", [], X(2, 3, 4))
module("nn.PReLU", [3], X(2, 3, 4))
module("nn.PReLU", [], X(2, 3, 4), numParameters=3, init=0.5)

for path in ("softmax", "logSoftmax", "softmin"):
    name = path[0].upper() + path[1:]
    function(f"F.{path}", X(2, 3, 4), 1)
    function(f"F.{path}", X(2, 3, 4), -1)
    function(f"F.{path}", VX([[-INF, 0.0], [INF, 1.0], [NAN, 1.0], [1000.0, 999.0], [-INF, -INF]]), 1)
    function(f"F.{path}", X(), 0)
    function(f"F.{path}", X(0, 3), 1)
    function(f"F.{path}", X(2, 1), 1)
    function(f"F.{path}", X(2, 3), 1, dtype="float64")
    module(f"nn.{name}", [1], X(2, 3, 4))
    module(f"nn.{name}", [], X(2, 3, 4), dim=-1)
table.method("softmax", X(2, 3), 0)
table.method("logSoftmax", X(2, 3), 0)
module("nn.Softmax2d", [], X(2, 3, 2, 2))
module("nn.Softmax2d", [], X(3, 2, 2))
module("nn.Identity", [], X(2, 3))
module("nn.Identity", [], X())

# In place: the caller's tensor changes, and so it must not be a leaf that wants a gradient.
for path, name in (("relu", "ReLU"), ("elu", "ELU"), ("leakyRelu", "LeakyReLU"), ("hardtanh", "Hardtanh"),
                   ("silu", "SiLU"), ("hardswish", "Hardswish"), ("relu6", "ReLU6"), ("selu", "SELU"), ("mish", "Mish")):
    function(f"F.{path}", C(3, 4, kind="wide"), inplace=True)
    module(f"nn.{name}", [], C(3, 4, kind="wide"), inplace=True)
module("nn.Dropout", [0.5], C(3, 4), inplace=True, seed=3)

# ---- chance: after the same seed, the same numbers ----

SEED = 7
function("F.gumbelSoftmax", X(3, 4), seed=SEED)
function("F.gumbelSoftmax", X(3, 4), tau=0.5, dim=0, seed=SEED)
function("F.gumbelSoftmax", X(3, 4), hard=True, seed=SEED)
for path, name, shape in (("dropout", "Dropout", (2, 3, 4)), ("dropout1d", "Dropout1d", (2, 5, 3)),
                          ("dropout2d", "Dropout2d", (2, 5, 2, 2)), ("dropout3d", "Dropout3d", (2, 5, 1, 2, 2)),
                          ("alphaDropout", "AlphaDropout", (2, 3, 4)),
                          ("featureAlphaDropout", "FeatureAlphaDropout", (2, 5, 2, 2))):
    function(f"F.{path}", X(*shape), 0.3, training=True, seed=SEED)
    function(f"F.{path}", X(*shape), training=True, seed=SEED)
    function(f"F.{path}", X(*shape), p=0.75, training=True, seed=SEED)
    function(f"F.{path}", X(*shape), 0.3, training=False, seed=SEED)
    function(f"F.{path}", X(*shape), seed=SEED)
    function(f"F.{path}", X(*shape), 1, training=True, seed=SEED)
    function(f"F.{path}", X(*shape), 0, training=True, seed=SEED)
    module(f"nn.{name}", [0.3], X(*shape), seed=SEED)
    module(f"nn.{name}", [], X(*shape), seed=SEED)
    module(f"nn.{name}", [0.3], X(*shape), seed=SEED, train=False)
function("F.dropout1d", X(5, 3), 0.5, seed=SEED)
function("F.dropout3d", X(5, 1, 2, 2), 0.5, seed=SEED)
function("F.rrelu", X(3, 4, kind="wide"), training=True, seed=SEED)
function("F.rrelu", X(3, 4, kind="wide"), lower=0.25, upper=0.5, training=True, seed=SEED)
function("F.rrelu", X(3, 4, kind="wide"))
function("F.rrelu", X(3, 4, kind="wide"), lower=0.25, upper=0.5)
module("nn.RReLU", [], X(3, 4, kind="wide"), seed=SEED)
module("nn.RReLU", [], X(3, 4, kind="wide"), lower=0.25, upper=0.5, train=False)
