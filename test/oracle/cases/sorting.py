"""Order: sort, topk, search, counts."""
import math

from case_table import C, I, Table, V, VX, X

table = Table("sorting")
method, function = table.method, table.function
NAN, INF = math.nan, math.inf
TIES = [[2.0, 1.0, 2.0, 1.0], [NAN, INF, -INF, 0.5]]

method("sort", X(2, 3, 4))
method("sort", X(2, 3, 4), 1)
method("sort", X(2, 3, 4), 0, descending=True)
method("sort", VX(TIES), 1, stable=True, torch=lambda x, dim, **o: x.sort(dim=dim, **o))
method("sort", VX(TIES), -1, descending=True, stable=True, torch=lambda x, dim, **o: x.sort(dim=dim, **o))
method("sort", I([[3, 1, 2], [9, -1, 4]]), 1)
method("sort", X(0, 3), 0)
method("sort", X())
method("argsort", C(2, 3, 4))
method("argsort", C(2, 3, 4), 1, descending=True)
method("msort", X(3, 4))
method("topk", X(2, 3, 4), 2)
method("topk", X(2, 3, 4), 2, 1, largest=False)
method("topk", X(2, 5), 5, -1)
method("topk", X(2, 5), 0)
method("topk", VX([[1.0, NAN, 3.0, INF]]), 2)
method("topk", I([4, 9, 1, 7]), 2)
SORTED = [1.0, 3.0, 5.0, 7.0]
function("searchsorted", V(SORTED), V([[3.0, 6.0], [0.0, 9.0]]))
function("searchsorted", V(SORTED), V([3.0, 5.0]), right=True)
function("searchsorted", V([SORTED, [2.0, 2.0, 4.0, 6.0]]), V([[3.0], [2.0]]))
function("bucketize", V([[3.0, 6.0], [0.0, 9.0]]), V(SORTED))
function("bucketize", V([3.0, 5.0]), V(SORTED), right=True)
method("bincount", I([1, 3, 1, 0]))
method("bincount", I([1, 3, 1]), minlength=6)
method("bincount", I([1, 3, 1]), weights=V([0.5, 0.25, 2.0]))
function("unique", I([3, 1, 3, 2]))
function("unique", V([[2.5, 1.0], [2.5, -1.0]]), returnInverse=True)
function("unique", I([3, 1, 3, 2]), returnInverse=True, returnCounts=True)
method("histc", V([0.5, 1.0, 2.0, 0.25, 2.0]), 4)
method("histc", V([0.5, 1.0, 2.0, 0.25, 2.0]), 3, min=0, max=1)
function("uniqueConsecutive", I([1, 1, 2, 2, 2, 1]))
function("uniqueConsecutive", I([1, 1, 2, 1]), returnInverse=True, returnCounts=True)
function("histogram", V([0.5, 1.0, 2.0, 0.25, 2.0]), 4, fields=["hist", "binEdges"])
function("histogram", V([[0.5, 1.0], [2.0, 3.5]]), 3, range=[0.0, 3.0], fields=["hist", "binEdges"])
function("histogram", V([0.5, 1.0, 2.0]), 2, weight=V([1.0, 0.5, 2.0]), density=True, fields=["hist", "binEdges"])
function("histogram", V([0.5, 1.0, 2.0, 4.0]), V([0.0, 1.0, 1.5, 2.0]), fields=["hist", "binEdges"])
