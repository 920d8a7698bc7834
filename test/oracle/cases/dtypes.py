"""Which dtype comes out: mixed arguments, whole numbers, overflow."""
from case_table import I, Table

table = Table("dtypes")
method, function = table.method, table.function
WHOLE, SMALL, BYTE, SIGNED, FLAG = [3, -2, 5], [1, 2, 3], [200, 3, 255], [100, -128, 7], [True, False, True]
REAL = [0.5, -1.25, 2.0]

VALUES = {"int64": WHOLE, "int32": WHOLE, "int16": WHOLE, "int8": SIGNED, "uint8": BYTE, "bool": FLAG, "float32": REAL,
          "float64": REAL}
PAIRS = [("int64", "float32"), ("int32", "int64"), ("uint8", "int8"), ("uint8", "int16"), ("bool", "int64"),
         ("bool", "float32"), ("float32", "float64"), ("bool", "bool"), ("uint8", "uint8"), ("int8", "int8")]
for a, b in PAIRS:
    for path in ("add", "mul", "div", "maximum", "eq", "pow", "atan2"):
        if (path, a) in (("pow", "bool"), ("atan2", "bool")) or (path, b) == ("pow", "int8"):
            continue
        method(path, I(VALUES[a], a), I(VALUES[b], b))
    function("where", I(FLAG, "bool"), I(VALUES[a], a), I(VALUES[b], b))
    function("cat", [I(VALUES[a], a), I(VALUES[b], b)])
    # A 0-d tensor only counts when its kind is higher.
    method("add", I(VALUES[a], a), I(VALUES[b][2], b))
    method("mul", I(VALUES[a][0], a), I(VALUES[b], b))
for dtype, values in VALUES.items():
    for number in (2, 0.5):
        for path in ("add", "mul", "div", "lt"):
            method(path, I(values, dtype), number)
    for path in ("sum", "prod", "amax", "any"):
        method(path, I(values, dtype))
    method("cumsum", I(values, dtype), 0)
    if dtype != "bool":
        method("abs", I(values, dtype))
        method("neg", I(values, dtype))
        method("square", I(values, dtype))
        method("argmax", I(values, dtype))
        method("sign", I(values, dtype))
        method("clamp", I(values, dtype), min=-1, max=4)
    for path in ("sqrt", "exp", "sigmoid", "reciprocal", "isnan", "logicalNot"):
        method(path, I(values, dtype))
    method("sort", I(values, dtype))
    method("mean", I(values, dtype), dtype="float32")
    for target in ("float32", "int64", "uint8", "bool"):
        method("to", I(values, dtype), target)
method("to", I([300, -1, 256], "int64"), "uint8")
method("to", I([1.9, -1.9, 300.0], "float32"), "int32")
method("to", I([float("nan"), 0.0, float("inf")], "float32"), "bool")
method("to", I([200, -129], "int64"), "int8")
method("add", I([2147483647], "int32"), 1)
method("mul", I([65536], "int32"), 65536)
method("add", I([9223372036854775807]), 1)
method("mul", I([4611686018427387904]), 2)
method("sum", I([9007199254740993, 2]))
method("clamp", I(WHOLE), min=0.5)
method("remainder", I(WHOLE), -4)
method("matmul", I([[1, 2]], "int32"), I([[3], [4]], "int32"))
method("pow", I([2, -3, 0]), I([62, 3, 0]))
method("floorDivide", I([-7, 7], "int32"), 2)
method("maximum", I(WHOLE), I(SMALL, "int8"))
