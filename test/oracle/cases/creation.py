"""Windows, positions, tensors like others, and what is said of a tensor."""
import torch

from case_table import C, I, Table, V

table = Table("creation")
method, function = table.method, table.function

for path in ("bartlettWindow", "blackmanWindow", "hannWindow", "hammingWindow"):
    for length in (0, 1, 6):
        function(path, length, dtype="float64")
    function(path, 5, periodic=False)
function("hammingWindow", 6, alpha=0.5, beta=0.25, dtype="float64",
         torch=lambda length, alpha, beta, dtype: torch.hamming_window(length, True, alpha, beta, dtype=dtype))
function("trilIndices", 3, 4)
function("trilIndices", 3, 4, offset=-1)
function("triuIndices", 3, 4, offset=1)
function("triuIndices", 2, 2, dtype="int32")
method("newZeros", C(2), [2, 3])
method("newOnes", C(2), 2, 3)
method("newFull", C(2), [2], 1.5)
method("newTensor", I([1], "int32"), [[1, 2], [3, 4]])
method("cpu", C(2))

method("size", C(2, 3), -1)
for path in ("dim", "ndimension", "nelement", "isFloatingPoint", "isComplex", "isSigned"):
    method(path, C(2, 3))
method("isSigned", I([1], "uint8"))
method("isNonzero", V([0.5]))
method("isSameSize", C(2, 3), C(3, 2))
for pair in (("float64", "float32"), ("float32", "int64"), ("int64", "bool"), ("bool", "uint8"), ("uint8", "int8")):
    function("canCast", *pair)

function("arange", 5)
function("arange", 1, 8, 3)
function("arange", 2, -1, -0.5)
function("arange", 3, dtype="float64")
for path in ("linspace", "logspace"):
    function(path, -1, 2, 5, dtype="float64")
    function(path, 0, 1, 1)
function("logspace", 0, 3, 4, base=2)
function("eye", 3)
function("eye", 2, 4, dtype="int64")
function("zeros", [2, 3])
function("ones", [2], dtype="bool")
function("full", [2, 1], 1.5)
for path in ("zerosLike", "onesLike"):
    function(path, C(2, 3))
    function(path, I([1, 2]), dtype="float64")
function("fullLike", C(2, 3), -0.5)
function("blockDiag", C(2, 1), C(3), torch=torch.block_diag)
for path in ("bfloat16", "bool", "byte", "char", "double", "float", "half", "int", "long", "short"):
    method(path, V([0.0, 1.0, 2.5]))
method("typeAs", C(2), I([1]))
method("item", V(2.5))
