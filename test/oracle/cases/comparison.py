"""Comparisons, logic and bits: exact results."""
import math

from case_table import B, C, I, Table, V

table = Table("comparison")
method, function = table.method, table.function
NAN, INF = math.nan, math.inf
LEFT = [1.0, 2.0, NAN, NAN, INF, -INF, 0.0, 3.0]
RIGHT = [1.0, 3.0, NAN, 1.0, INF, INF, -0.0, 2.0]

for path in ("eq", "ne", "lt", "le", "gt", "ge"):
    method(path, V(LEFT), V(RIGHT))
    method(path, C(3, 1), C(4))
    method(path, V(LEFT), 1)
    method(path, I([1, 2, 3]), 1.5)
    method(path, I([1, 2, 3]), I([3, 2, 1], "int32"))
    method(path, B([True, False]), B([True, True]))
for path in ("isnan", "isinf", "isfinite", "isposinf", "isneginf"):
    method(path, V(LEFT))
    method(path, I([0, 5]))
method("isclose", V(LEFT), V(RIGHT))
method("isclose", V(LEFT), V(RIGHT), equalNan=True)
method("isclose", V([1.0, 1.0, 100.0]), V([1.05, 1.2, 111.0]), rtol=0.1, atol=0.01)
method("allclose", V([1.0, 2.0]), V([1.0, 2.0]))
method("allclose", V([1.0, NAN]), V([1.0, NAN]))
method("allclose", V([1.0, NAN]), V([1.0, NAN]), equalNan=True)
method("allclose", V([1.0]), V([1.25]), atol=0.5)
method("equal", V([1.0, 2.0]), V([1.0, 2.0]))
method("equal", V([1.0, NAN]), V([1.0, NAN]))
method("equal", V([1.0, 2.0]), V([[1.0, 2.0]]))

for path in ("logicalAnd", "logicalOr", "logicalXor"):
    method(path, B([True, True, False, False]), B([True, False, True, False]))
    method(path, V([0.0, 1.5, NAN]), V([[1.0], [0.0]]))
    method(path, I([0, 2, 3]), V([0.0, 0.0, 1.0]))
method("logicalNot", B([True, False]))
method("logicalNot", V([0.0, 1.5, NAN, -0.0]))
method("logicalNot", I([0, 3]))

for path in ("bitwiseAnd", "bitwiseOr", "bitwiseXor"):
    method(path, I([12, -5, 7]), I([10, 3, -1]))
    method(path, I([[12], [-5]], "int32"), I([10, 3], "int32"))
    method(path, I([200, 3], "uint8"), I([7, 255], "uint8"))
    method(path, B([True, True, False]), B([True, False, False]))
    method(path, I([12, -5, 7]), 6)
method("bitwiseNot", I([0, -1, 5]))
method("bitwiseNot", I([0, 255, 5], "uint8"))
method("bitwiseNot", B([True, False]))
method("bitwiseLeftShift", I([1, 3, -4]), I([2, 1, 3]))
method("bitwiseRightShift", I([16, 3, -4]), I([2, 1, 1]))

for path in ("all", "any"):
    method(path, B([[True, False], [True, True]]))
    method(path, B([[True, False], [True, True]]), 1)
    method(path, B([[True, False], [False, False]]), -1, keepdim=True)
    method(path, V([[0.0, 1.5], [NAN, 2.0]]), 0)
    method(path, C(0, 3), 0)
    method(path, C(0, 3))
    method(path, I([0, 2], "uint8"))
function("isin", I([1, 2, 3, 4]), I([2, 4, 9]))
function("isin", I([[1, 2], [3, 4]]), I([2, 4]), invert=True)
function("isin", V([0.5, 1.5]), V([1.5]))
