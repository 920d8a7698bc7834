"""Products of matrices and what is built on them."""
import torch

from case_table import I, Table, V, VX, X

table = Table("linear algebra")
method, function = table.method, table.function


def tensordot(a, b, dims):
    """PyTorch wants lists, where a row's lists arrive as tuples."""
    return torch.tensordot(a, b, dims=[list(axes) for axes in dims])


for a, b in (((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((2, 1, 3, 2), (3, 2, 3)),
             ((2,), (3, 2, 4)), ((3, 2, 4), (4,)), ((0, 2, 3), (3, 2)), ((2, 0), (0, 3)), ((1, 1), (1, 1))):
    method("matmul", X(*a), X(*b))
method("matmul", I([[1, 2], [3, 4]]), I([[5, 6], [7, 8]]))
method("mm", X(2, 3), X(3, 4))
method("mm", X(2, 0), X(0, 4))
method("bmm", X(2, 3, 4), X(2, 4, 2))
method("bmm", X(0, 3, 4), X(0, 4, 2))
method("mv", X(2, 3), X(3))
method("dot", X(3), X(3))
method("dot", X(0), X(0))
method("outer", X(2), X(3))
method("inner", X(2, 3), X(4, 3))
method("inner", X(3), X(3))
method("trace", X(3, 3))
method("trace", X(2, 4))
method("kron", X(2, 3), X(3, 2))
method("kron", X(2), X(2, 3))
method("addmm", X(2, 4), X(2, 3), X(3, 4))
method("addmm", X(4), X(2, 3), X(3, 4), beta=0.5, alpha=-2)
method("addmm", VX([float("nan")] * 4), X(2, 3), X(3, 4), beta=0)
method("baddbmm", X(2, 3, 2), X(2, 3, 4), X(2, 4, 2), beta=2, alpha=0.5)
method("baddbmm", X(2, 3, 2), X(2, 3, 4), X(2, 4, 2))
method("addbmm", X(3, 2), X(2, 3, 4), X(2, 4, 2), beta=2, alpha=0.5)
method("addbmm", X(3, 2), X(2, 3, 4), X(2, 4, 2))
method("addmv", X(2), X(2, 3), X(3), beta=2, alpha=0.5)
method("addmv", X(2), X(2, 3), X(3))
method("addr", X(2, 3), X(2), X(3), beta=2, alpha=0.5)
method("addr", X(2, 3), X(2), X(3))
method("cross", X(2, 3), X(2, 3), 1)
method("cross", X(3, 2), X(3, 2), 0)

function("einsum", "ij,jk->ik", X(2, 3), X(3, 4))
function("einsum", "ij,jk", X(2, 3), X(3, 4))
function("einsum", "bij,bjk->bik", X(2, 3, 4), X(2, 4, 2))
function("einsum", "ii->i", X(3, 3))
function("einsum", "ii", X(3, 3))
function("einsum", "ij->ji", X(2, 3))
function("einsum", "ij->", X(2, 3))
function("einsum", "i,j->ij", X(2), X(3))
function("einsum", "...ij,...jk->...ik", X(2, 3, 4), X(4, 2))
function("einsum", "b...,b->...", X(2, 3, 4), X(2))
function("einsum", "bn,anm,bm->ba", X(2, 3), X(4, 3, 2), X(2, 2))
function("einsum", "ba", X(2, 3))
function("einsum", "i j , j k -> i k", X(2, 3), X(3, 4))
function("einsum", "ij,ij->i", X(0, 3), X(0, 3))
function("einsum", "ik,jk->ij", X(2, 1), X(3, 4))
function("tensordot", X(2, 3, 4), X(3, 4, 2), 2)
function("tensordot", X(2, 3, 4), X(4, 2, 3), [[1, 2], [2, 0]], torch=tensordot)
function("tensordot", X(2), X(3), 0)
for p in (2, 1, 3, float("inf"), 0.5):
    function("cdist", X(2, 3, 4), X(2, 2, 4), p=p)
function("cdist", X(3, 4), X(2, 4))
function("cdist", X(3, 4), X(2, 4), 3)
function("F.linear", X(2, 3), X(4, 3), X(4))
function("F.linear", X(2, 2, 3), X(4, 3))
function("F.linear", X(3), X(2, 3), X(2))
function("F.linear", X(0, 3), X(2, 3), X(2))
function("F.bilinear", X(2, 3), X(2, 4), X(5, 3, 4), X(5))
function("F.bilinear", X(2, 2, 3), X(2, 2, 4), X(5, 3, 4))
function("F.normalize", X(3, 4))
function("F.normalize", X(2, 3, 4), p=1, dim=-1)
function("F.normalize", VX([[0.0, 0.0], [3.0, 4.0]]), eps=0.5)
function("F.normalize", X(2, 3, 4), p=3, dim=0)
function("F.cosineSimilarity", X(3, 4), X(3, 4))
function("F.cosineSimilarity", X(2, 3, 4), X(3, 4), dim=-1)
function("F.cosineSimilarity", X(2, 3, 4), X(2, 3, 4), dim=0, eps=0.25)
function("F.cosineSimilarity", VX([[0.0, 0.0]]), VX([[3.0, 4.0]]), eps=0.5)
function("F.pairwiseDistance", X(3, 4), X(3, 4))
function("F.pairwiseDistance", X(3, 4), X(4), p=1, eps=0.0625, keepdim=True)
function("F.pairwiseDistance", X(3, 4), X(3, 4), p=3)
function("F.pdist", X(4, 3))
for p in (1, 3.0, float("inf"), 0):
    function("F.pdist", X(4, 3), p)

# Well conditioned, so that float32 inverts them to its precision.
REGULAR = [[[4.0, 1.0, -0.5], [2.0, 5.0, 1.0], [0.5, 1.0, 3.0]], [[0.0, 2.0, 0.5], [2.0, -1.0, 0.0], [0.25, 0.5, 2.0]]]
LARGE = [[3.0, 1.0, 0.0, 0.5], [1.0, -4.0, 2.0, 0.0], [0.5, 0.0, 2.0, 1.0], [0.0, 1.0, 0.25, 3.0]]
SINGULAR = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, -1.0, 2.0]]
method("inverse", VX(REGULAR))
method("inverse", VX(LARGE))
# PyTorch's gradient of a singular matrix is 0, which is not its derivative.
method("det", V(SINGULAR))
for matrix in (REGULAR, LARGE, [[2.0, 1.0], [0.5, -3.0]], [[-2.5]]):
    method("det", VX(matrix))
for matrix in (REGULAR, LARGE):
    method("slogdet", VX(matrix), fields=["sign", "logabsdet"])
method("logdet", VX(REGULAR[0]))
for power in (0, 1, 2, 5, -1, -2):
    method("matrixPower", VX(REGULAR), power)
method("adjoint", X(2, 3, 4))
function("chainMatmul", X(2, 3), X(3, 4), X(4, 2))
method("cov", X(3, 5))
method("cov", X(5), correction=0)
method("cov", X(2, 4), fweights=I([1, 2, 1, 3]), aweights=V([0.5, 1.0, 0.25, 2.0]))
method("corrcoef", X(3, 5))
method("renorm", X(3, 4), 2, 0, 1.25)
method("renorm", X(2, 3, 2), 1, -1, 2.5)
method("vdot", X(3), X(3))
