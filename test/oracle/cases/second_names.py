"""PyTorch's second names of functions."""
import torch

from case_table import C, I, Table, X

table = Table("second names")
method, function = table.method, table.function

for path, kind in {
    "absolute": "normal", "arccos": "unit", "arccosh": "over1", "arcsin": "unit", "arcsinh": "normal", "arctan": "normal",
    "arctanh": "unit", "fix": "wide", "negative": "normal",
}.items():
    method(path, X(2, 3, kind=kind))
for path in ("multiply", "subtract", "divide", "trueDivide", "arctan2"):
    method(path, X(2, 3), X(3))
for path in ("greater", "greaterEqual", "less", "lessEqual", "notEqual"):
    method(path, I([1, 2, 3]), I([2, 2, 2]))
method("moveaxis", X(2, 3, 4), 0, -1)
method("swapdims", X(2, 3, 4), 0, -1)
method("unsafeChunk", X(5, 3), 2)
method("unsafeSplit", X(5, 3), 2)
method("unsafeSplitWithSizes", X(5, 3), [1, 4])
method("ger", X(2), X(3))
function("concat", [X(2, 3), X(1, 3)])
function("concatenate", [X(2, 3), X(2, 1)], 1)
function("rowStack", [X(3), X(2, 3)])
function("columnStack", [X(2), X(2, 3)])
function("trapz", X(2, 4), dx=0.5)
function("asTensor", C(2), torch=lambda x: torch.as_tensor(x))
