"""Sums, means, extremes, norms and running sums."""
import math

from case_table import B, C, I, Table, V, VX, X

table = Table("reductions")
method, function = table.method, table.function
NAN, INF = math.nan, math.inf
HOLES = [[1.0, NAN, 2.0], [INF, 0.5, -3.0]]

for path in ("sum", "mean", "amax", "amin", "nansum", "nanmean", "var", "std"):
    method(path, X(2, 3, 4), 1)
    method(path, X(2, 3, 4), [0, -1])
    method(path, X(2, 3, 4), [2, 0], keepdim=True)
    method(path, VX(HOLES), 1)
for path in ("sum", "mean", "nansum", "nanmean", "var", "std", "prod", "max", "min", "median", "nanmedian", "argmax", "argmin"):
    method(path, X(2, 3, 4))
for path in ("sum", "nansum", "prod", "amax", "max", "argmax", "cumsum"):
    method(path, I([[3, 1], [7, -2]]), 0)
for path in ("sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "prod", "nansum", "median"):
    method(path, X())
for path in ("sum", "mean", "prod", "amax", "var"):
    method(path, X(2, 0, 3), 0)
    method(path, X(1, 3, 1), -1)
method("sum", X(0, 3))
method("sum", X(0, 3), 0)
method("prod", X(0, 3), 0)
method("mean", X(0, 3), 0)
method("mean", X(0))
method("prod", X(0))
method("var", X(0))
method("var", X(3, 1), 1)
method("std", C(1))
method("sum", B([[True, False], [True, True]]), 1)
method("sum", I([1, 2, 3]))
method("sum", I([200, 100], "uint8"))
method("sum", I([1, 2, 3]), dtype="float64")
method("sum", X(2, 3), 1, dtype="float64")
method("mean", I([1, 2, 4]), 0, dtype="float64")
method("prod", I([2, 3, 4], "int32"))
method("prod", I([2, 3, 4]), 0, dtype="float64")
method("sum", VX([INF, -INF, 1.0]))

method("prod", X(2, 3, 4), 1)
method("prod", X(2, 3, 4), -1, keepdim=True)
method("prod", VX([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]), 1)
method("prod", VX([2.0, 0.0, 4.0]))

for path in ("var", "std"):
    method(path, X(3, 4), 0, correction=0)
    method(path, X(3, 4), [0, 1], correction=2)
    method(path, X(3, 4), 1, unbiased=False)
    method(path, X(3, 4), 1, unbiased=True, keepdim=True)
for path in ("varMean", "stdMean"):
    function(path, X(3, 4), 1)
    function(path, X(3, 4))
    function(path, X(3, 4), [0, 1], unbiased=False, keepdim=True)

method("aminmax", C(3, 4))
method("aminmax", C(3, 4), dim=1)
method("aminmax", C(3, 4), dim=0, keepdim=True)
method("amax", VX([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]), 1)
method("max", VX([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]), 1)
method("max", VX([1.0, 3.0, 3.0]))
method("min", VX(HOLES))
for path in ("max", "min"):
    method(path, X(2, 3, 4), 1)
    method(path, X(2, 3, 4), -1, keepdim=True)
    method(path, X(3, 4), X(4))
    method(path, VX(HOLES), 1)
for path in ("argmax", "argmin"):
    method(path, C(2, 3, 4), 1)
    method(path, C(2, 3, 4), -1, keepdim=True)
    method(path, V(HOLES), 1)
    method(path, V(HOLES))
    method(path, V([[2.0, 5.0, 5.0], [1.0, 1.0, 4.0]]), 1)
for path in ("median", "nanmedian"):
    method(path, X(2, 3, 4), 1)
    method(path, X(2, 3, 4), -1, keepdim=True)
    method(path, VX([[1.0, NAN, 2.0], [4.0, 0.5, -3.0]]), 1)
    method(path, VX([1.0, NAN, 2.0]))
method("mode", V([[1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 4.0, 4.0]]))
method("mode", I([[3, 3, 1], [2, 0, 2]]), 1, keepdim=True)
method("mode", VX([[1.0, 7.0], [3.0, 7.0], [3.0, 8.0]]), 0)
method("kthvalue", X(2, 3, 4), 2)
method("kthvalue", X(2, 3, 4), 3, 1, keepdim=True)
for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
    method("quantile", X(3, 5), 0.4, 1, interpolation=interpolation)
method("quantile", X(3, 5), 0.6)
method("quantile", X(3, 5), V([0.0, 0.5, 1.0]), 0, keepdim=True)

method("logsumexp", X(2, 3, 4), 1)
method("logsumexp", X(2, 3, 4), [0, -1], keepdim=True)
method("logsumexp", VX([[-INF, -INF], [INF, 1.0], [NAN, 1.0], [30.0, 30.0]]), 1)
method("logsumexp", X(2, 0), 1)
method("logsumexp", X(), 0)

method("norm", X(3, 4))
method("norm", X(3, 4), "fro", [0, 1])
for p in (1, 2, 3, 0.5, INF, -INF, 0):
    method("norm", X(3, 4), p, 1)
method("norm", X(2, 3, 4), 2, [0, 2], keepdim=True)
method("norm", X(2, 3, 4), 1, [1, 2])
method("norm", VX([[0.0, 0.0], [3.0, 4.0]]), 2, 1)
method("norm", VX([[0.0, 0.0], [3.0, -4.0]]), 1, 1)
method("norm", VX([[3.0, -3.0], [3.0, -4.0]]), INF, 1)
method("norm", X(0, 3), 2, 0)
method("dist", X(3, 4), X(4))
for p in (1, 3, INF):
    method("dist", X(3, 4), X(3, 4), p)
method("dist", C(3, 4), C(3, 4), 0)

method("cumsum", X(2, 3, 4), 1)
method("cumsum", X(2, 3, 4), -1)
method("cumsum", I([1, 2, 3], "int32"), 0)
method("cumsum", B([True, True, False]), 0)
method("cumsum", I([1, 2, 3]), 0, dtype="float64")
method("cumsum", X(), 0)
method("cumsum", X(0, 3), 0)
method("cumprod", X(2, 3, 4), 1)
method("cumprod", VX([[1.0, 0.0, 2.0, 3.0], [0.0, 2.0, 0.0, 4.0]]), 1)
method("cumprod", I([2, 3, 4]), 0)
method("logcumsumexp", X(2, 3, 4), 1)
method("logcumsumexp", VX([-INF, 1.0, 2.0]), 0)
for path in ("cummax", "cummin"):
    method(path, X(2, 3, 4), 1)
    method(path, VX([1.0, 3.0, 3.0, 2.0, NAN, 5.0]), 0)
    method(path, X(0, 3), 0)
method("countNonzero", V([[0.0, 1.0, NAN], [0.0, 0.0, 2.0]]))
method("countNonzero", V([[0.0, 1.0, NAN], [0.0, 0.0, 2.0]]), 1)
method("countNonzero", V([[0.0, 1.0, NAN], [0.0, 0.0, 2.0]]), [0, 1])
method("diff", X(3, 5))
method("diff", X(3, 5), n=2)
method("diff", X(3, 5), dim=0)

function("trapezoid", X(2, 4), dx=0.5)
function("trapezoid", X(3, 2), X(3), dim=0)
function("trapezoid", I([1, 2, 4]))
function("cumulativeTrapezoid", X(2, 4), X(2, 4))
function("cumulativeTrapezoid", X(3, 2), dx=2, dim=0)
function("gradient", X(4))
function("gradient", X(3, 4), spacing=0.5, dim=1, edgeOrder=2)
function("gradient", X(3, 4), spacing=[V([0.0, 0.5, 2.0]), V([0.0, 1.0, 1.5, 3.0])])
function("gradient", X(3, 4), spacing=[2.0, 0.5], dim=[0, 1])
