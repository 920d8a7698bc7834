"""Reading and writing at positions and under masks."""
import torch

from case_table import B, C, I, Table, V, X

table = Table("indexing")
method, function = table.method, table.function
MASK = B([[True, False, True, False], [False, False, True, True], [False, True, False, False]])

method("gather", X(2, 3), 1, I([[2, 0, 2, 1], [0, 1, 1, 1]]))
method("gather", X(2, 3, 4), 0, I([[[1, 0], [0, 0]]]))
method("gather", X(2, 3), -1, I([[2], [0]]))
method("gather", X(), 0, I(0))
method("gather", X(2, 3), 1, I([[], []]))
INDEX = [[0, 2, 0, 1], [1, 1, 2, 0]]
method("scatter", X(3, 4), 0, I([[0, 2, 1, 0], [1, 1, 2, 2]]), X(2, 4))
method("scatter", X(3, 4), 1, I([[0, 2], [3, 1]]), 1.5)
method("scatter", C(3, 4), 0, I(INDEX), C(2, 4), reduce="add")
method("scatter", C(3, 4), 0, I(INDEX), C(2, 4), reduce="multiply")
method("scatterAdd", X(3, 4), 0, I(INDEX), X(2, 4))
method("scatterAdd", X(3, 4), 1, I([[0, 0], [3, 3], [1, 2]]), X(3, 2))
method("scatterAdd", X(), 0, I(0), X())
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    for include_self in (True, False):
        method("scatterReduce", X(3, 4), 0, I(INDEX), X(2, 4), reduce, includeSelf=include_self)
method("scatterReduce", X(3, 4), 1, I([[0, 0], [3, 3], [1, 2]]), X(3, 2), "mean")

method("indexSelect", X(2, 3, 4), 1, I([2, 0, 2]))
method("indexSelect", X(2, 3), -1, I([0], "int32"))
method("indexSelect", X(2, 3), 0, I([]))
method("indexAdd", X(3, 4), 0, I([2, 0, 2]), X(3, 4))
method("indexAdd", X(3, 4), 1, I([1, 1]), X(3, 2), alpha=-0.5)
method("indexCopy", X(3, 4), 0, I([2, 0]), X(2, 4))
method("indexCopy", X(3, 4), -1, I([1]), X(3, 1))
method("indexFill", X(3, 4), 0, I([2, 0]), 1.5)
method("indexFill", X(3, 4), 1, I([3, 3]), -1)
method("maskedFill", X(3, 4), MASK, -2)
method("maskedFill", X(3, 4), B([True, False, True, False]), 0.5)
method("maskedFill", X(3, 4), B([[True], [False], [True]]), X())
method("maskedFill", X(0, 4), B([True, False, True, False]), 0.5)
method("maskedSelect", X(3, 4), MASK)
method("maskedSelect", X(3, 4), B([True, False, False, True]))
method("maskedSelect", X(3, 4), B([False, False, False, False]))
method("maskedScatter", X(3, 4), MASK, X(3, 2))
method("maskedScatter", X(3, 4), B([True, False, True, False]), X(7))
method("take", X(3, 4), I([[0, 11], [-1, 5]]))
method("take", X(3, 4), I([3, 3, 3]))
method("takeAlongDim", X(3, 4), I([[2, 0, 0, 1]]), 0)
method("takeAlongDim", X(3, 4), I([11, 0, 4]))
method("nonzero", V([[0.0, 1.0, float("nan")], [0.0, -2.0, 0.0]]))
method("nonzero", B([True, False, True]))
method("nonzero", C(0, 3))
method("nonzero", V(3.0))
method("indexPut", X(3, 4), [I([0, 2]), I([1, 1])], X(2))
method("indexPut", X(3, 4), [I([0, 2, 0])], X(3, 4), accumulate=True)
method("indexPut", X(3, 4), [I([-1])], X())
method("where", X(3, 4), MASK, X(3, 4))
function("where", MASK, X(3, 4), X(4))
function("where", MASK, X(3, 4), 0.5, torch=lambda c, a, b: torch.where(c, a, torch.tensor(b, dtype=a.dtype)))
function("where", B([[True], [False]]), X(3), X(2, 1))
function("where", B(True), X(), X(2))
function("F.oneHot", I([0, 2, 1]), 4)
function("F.oneHot", I([[0, 2], [1, 1]]))
method("put", X(3, 4), I([[0, 11], [-2, 5]]), X(2, 2))
for reduce in ("prod", "mean", "amax", "amin"):
    for include_self in (True, False):
        method("indexReduce", X(3, 4), 0, I([2, 0, 2]), X(3, 4), reduce, includeSelf=include_self)
method("argwhere", V([[0.0, 1.0], [2.0, 0.0]]))
