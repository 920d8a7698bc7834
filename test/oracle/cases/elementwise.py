"""Functions of each element, and arithmetic with broadcasting."""
import math

from case_table import C, I, Table, V, VX, X
from written_oracles import Digamma

table = Table("elementwise")
method = table.method
NAN, INF = math.nan, math.inf

# Steps, signs and roundings at the places where they jump.
CORNERS = [-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 3.7]
# Results that overflow, vanish or do not exist.
SPECIALS = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0]
# The row has float32 results of its own: they depend on the largest number of the dtype.
LARGEST = "own"
TRIGAMMA = {"torch": Digamma.apply, "written": "PyTorch's derivative errs by 1e-10"}

for path, kind in {
    "neg": "normal", "abs": "normal", "sign": "normal", "sgn": "normal", "exp": "normal", "exp2": "normal",
    "expm1": "normal", "log": "positive", "log2": "positive", "log10": "positive", "log1p": "unit", "sqrt": "positive",
    "rsqrt": "positive", "square": "normal", "reciprocal": "positive", "sin": "wide", "cos": "wide", "tan": "unit",
    "asin": "unit", "acos": "unit", "atan": "wide", "sinh": "normal", "cosh": "normal", "tanh": "normal",
    "asinh": "wide", "acosh": "over1", "atanh": "unit", "sigmoid": "wide", "logit": "probability", "erf": "normal",
    "erfc": "normal", "erfinv": "unit", "lgamma": "positive", "digamma": "positive", "floor": "wide", "ceil": "wide",
    "round": "wide", "trunc": "wide", "frac": "wide", "relu": "normal", "positive": "normal", "deg2rad": "wide",
    "rad2deg": "normal", "sinc": "normal", "nanToNum": "normal", "signbit": "normal",
}.items():
    own = TRIGAMMA if path == "digamma" else {}
    method(path, X(2, 3, 4, kind=kind), **own)
    # Beside its poles the gradient of digamma is mere overflow.
    method(path, VX([NAN, INF, 0.5] if path == "digamma" else SPECIALS), float32=LARGEST if path == "nanToNum" else None, **own)
    if kind in ("normal", "wide"):
        method(path, VX(CORNERS))
for path in ("neg", "abs", "sign", "square", "floor", "round", "relu", "positive", "exp", "sqrt", "sigmoid", "reciprocal"):
    # Integers: kept by some, made floating by others. The floating result has the default dtype, float32.
    method(path, I([-3, 0, 1, 7]))

method("lgamma", X(3, 4))
method("digamma", VX([-0.25, -1.75, 3.5, 12.0, 0.125]), **TRIGAMMA)
method("erfinv", VX([-0.99, 0.999, 0.0, 1e-4]))
method("expm1", VX([1e-8, -1e-8, 1e-3, 20.0]))
method("log1p", VX([1e-8, -1e-8, 1e-3, 20.0]))
method("round", X(3, 4, kind="wide"), decimals=1)
method("round", V([1234.5, -1250.0, 1.5]), decimals=-2)
method("logit", VX([0.0, 0.01, 0.5, 1.0, 1.2]), eps=0.0625)
method("nanToNum", VX(SPECIALS), nan=2.5, posinf=8.0, neginf=-4.0)
method("nanToNum", VX(SPECIALS), nan=1.0, float32=LARGEST)

for bounds in ({"min": -0.5, "max": 0.75}, {"min": 0.25}, {"max": -0.25}, {"min": 1, "max": -1}):
    method("clamp", X(3, 4), **bounds)
method("clamp", X(3, 4), min=X(4), max=X(3, 1))
method("clamp", X(3, 4), min=X(3, 4))
method("clamp", VX([NAN, INF, -INF, 0.5]), min=-1, max=1)
method("clamp", I([-5, 0, 5]), min=-2, max=3)
method("clamp", VX([-1.0, 0.0, 1.0]), min=-1, max=1)
method("clip", X(3, 4), min=-0.5, max=0.5)
method("clampMin", X(3, 4), 0.25)
method("clampMax", X(3, 4), 0.25)

# ---- two arguments ----

BROADCASTS = [((2, 3, 4), (2, 3, 4)), ((3, 1, 4), (2, 4)), ((), (2, 3)), ((1,), (0, 3))]
PAIRS = ([NAN, 1.0, INF, -INF, 0.0, -0.0, 2.0, 1.0], [1.0, NAN, INF, INF, 0.0, 0.0, 0.0, INF])

for path, kind in {
    "add": "normal", "sub": "normal", "mul": "normal", "div": "positive", "pow": "positive", "maximum": "normal",
    "minimum": "normal", "fmax": "normal", "fmin": "normal", "atan2": "normal", "hypot": "normal",
    "logaddexp": "normal", "logaddexp2": "normal", "copysign": "normal", "xlogy": "positive", "remainder": "positive",
    "fmod": "positive", "floatPower": "positive",
}.items():
    for a, b in BROADCASTS:
        method(path, X(*a, kind=kind), X(*b, kind=kind))
    method(path, *map(VX, PAIRS))
for path in ("heaviside", "floorDivide"):
    for a, b in BROADCASTS[:2]:
        method(path, C(*a), C(*b))
    method(path, *map(V, PAIRS))
method("heaviside", V([-1.0, 0.0, 2.0]), V([0.5, 0.25, 0.5]))

for path, numbers in {
    "add": [2, 0.5], "sub": [2, 0.5], "mul": [-3, 0.5], "div": [4, 0.5], "pow": [2, 3, 0.5, -1, 0, 1],
    "remainder": [2, -1.5], "fmod": [2, -1.5], "floorDivide": [2, -1.5], "xlogy": [2.0], "copysign": [-1.0],
}.items():
    for number in numbers:
        make = C if path == "floorDivide" else X
        method(path, make(2, 3, kind="positive"), number)
for path in ("add", "sub", "mul", "remainder", "fmod", "floorDivide", "pow", "maximum", "minimum"):
    method(path, I([[-7, 5], [6, 9]]), I([2, 3]))
method("div", I([-7, 5, 6]), I([2, 2, -4]))
for mode in ("floor", "trunc"):
    method("div", X(3, 4, kind="wide"), X(4), roundingMode=mode)
    method("div", I([-7, 5, 6, -8]), I([2, 2, -4, 3]), roundingMode=mode)
    method("div", *map(V, PAIRS), roundingMode=mode)
method("remainder", VX([-5.5, 5.5, -5.5, 5.5]), VX([2.0, -2.0, -2.0, 2.0]))
method("fmod", VX([-5.5, 5.5, -5.5, 5.5]), VX([2.0, -2.0, -2.0, 2.0]))
method("remainder", X(3, 4, kind="wide"), X(4, kind="over1"))
method("fmod", X(3, 4, kind="wide"), X(4, kind="over1"))
method("pow", VX([0.0, -2.0, 2.0, 0.0]), VX([0.0, 2.0, -1.0, 2.0]))
method("pow", VX([-2.0, 0.0, 3.0]), 2)
method("atan2", VX([0.0, -0.0, 0.0, 1.0]), VX([-1.0, -1.0, 1.0, 0.0]))
method("add", X(2, 3), X(3), alpha=-2.5)
method("add", I([1, 2]), I([3, 4]), alpha=3)
method("add", I([1, 2]), VX([0.5, 0.25]))
method("mul", I([1, 2], "int32"), I([3, 4]))
method("sub", X(2, 3), X(3), alpha=3)
method("rsub", X(2, 3), X(3), alpha=2, torch="torch.rsub")
method("rsub", X(2, 3), 1.5, torch="torch.rsub")
method("maximum", VX([1.0, 2.0]), VX([1.0, 1.0]))

method("lerp", X(3, 4), X(3, 4), 0.25)
method("lerp", X(3, 4), X(3, 4), 0.75)
method("lerp", X(3, 4), X(4), X(3, 1))
method("addcmul", X(3, 4), X(4), X(3, 1))
method("addcmul", X(3, 4), X(3, 4), X(3, 4), value=-0.5)
method("addcdiv", X(3, 4), X(4), X(3, 1, kind="positive"))
method("addcdiv", X(3, 4), X(3, 4), X(3, 4, kind="positive"), value=2)
method("polygamma", X(2, 3, kind="over1"), 2)
method("mvlgamma", X(2, 3, kind="over1"), 2)
method("ldexp", X(2, 3), X(3))
method("ldexp", X(3), I([1, -2, 3]))
method("gcd", I([[12, -18, 0], [7, 5, 9]]), I([8, 27, 0]))
method("lcm", I([[12, -18, 0], [7, 5, 9]]), I([8, 27, 0]))
