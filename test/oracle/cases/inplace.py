"""In-place forms, on copies of their arguments."""
from case_table import B, C, I, Table, V, X

table = Table("in place")
method = table.method

for path, kind in {
    "abs_": "normal", "acos_": "unit", "asin_": "unit", "atan_": "normal", "ceil_": "wide", "cos_": "wide", "cosh_": "normal", "deg2rad_": "wide", "erf_": "normal",
    "erfc_": "normal", "erfinv_": "unit", "exp2_": "normal", "exp_": "normal", "expm1_": "normal", "floor_": "wide",
    "frac_": "wide", "lgamma_": "positive", "log10_": "positive", "log1p_": "positive", "log2_": "positive",
    "log_": "positive", "logit_": "probability", "nanToNum_": "normal", "neg_": "normal", "rad2deg_": "normal",
    "reciprocal_": "positive", "relu_": "normal", "round_": "wide", "rsqrt_": "positive", "sgn_": "normal",
    "sigmoid_": "normal", "sign_": "normal", "sin_": "wide", "sinc_": "normal", "sinh_": "normal", "sqrt_": "positive",
    "square_": "normal", "tan_": "unit", "tanh_": "normal", "trunc_": "wide", "zero_": "normal",
    # Second names.
    "absolute_": "normal", "arccos_": "unit", "arcsin_": "unit", "arctan_": "normal", "fix_": "wide",
    "negative_": "normal",
}.items():
    method(path, X(2, 3, kind=kind))
# PyTorch has no derivative of these.
for path in ("acosh_", "asinh_", "atanh_", "arccosh_", "arcsinh_", "arctanh_"):
    method(path, C(2, 3, kind="over1" if path.endswith("cosh_") else "unit"))
method("ldexp_", C(2, 3), C(3))
method("digamma_", C(2, 3, kind="positive"))
method("logicalNot_", C(2, 3))
method("polygamma_", X(2, 3, kind="over1"), 2)
method("mvlgamma_", X(2, 3, kind="over1"), 2)

for path in ("add_", "sub_", "mul_", "div_", "pow_", "remainder_", "fmod_", "hypot_", "xlogy_", "atan2_", "copysign_",
             "arctan2_", "divide_", "trueDivide_", "multiply_", "subtract_"):
    method(path, X(2, 3, kind="positive"), X(3, kind="positive"))
method("floatPower_", X(2, 3, kind="positive"), 2.5, float32="PyTorch takes float64 alone")
method("floorDivide_", C(2, 3, kind="positive"), C(3, kind="positive"))
method("heaviside_", C(2, 3), C(2, 3))
for path in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "greater_", "greaterEqual_", "less_", "lessEqual_", "notEqual_"):
    method(path, X(2, 3), X(3))
    method(path, I([1, 2, 3]), 2)
for path in ("logicalAnd_", "logicalOr_", "logicalXor_"):
    method(path, V([0.0, 1.0, 2.0]), V([1.0, 0.0, 3.0]))
for path in ("bitwiseAnd_", "bitwiseOr_", "bitwiseXor_", "bitwiseLeftShift_", "bitwiseRightShift_"):
    method(path, I([5, 6, 7]), I([1, 2, 3]))
method("bitwiseNot_", B([True, False]))
method("gcd_", I([12, -18, 0]), I([8, 27, 0]))
method("lcm_", I([12, -18, 0]), I([8, 27, 5]))

method("clamp_", X(2, 3), min=-0.5, max=0.75)
method("clip_", X(2, 3), max=0.75)
method("clampMin_", X(2, 3), 0.25)
method("clampMax_", X(2, 3), 0.25)
method("lerp_", X(2, 3), X(3), 0.25)
method("addcmul_", X(2, 3), X(3), X(2, 1), value=-0.5)
method("addcdiv_", X(2, 3), X(3), X(2, 1, kind="positive"))
method("fill_", X(2, 3), 1.5)
method("copy_", X(2, 3), X(3))
method("cumsum_", X(2, 3), 1)
method("cumprod_", X(2, 3), 0)
method("tril_", X(3, 4), 1)
method("triu_", X(3, 4))
method("renorm_", X(3, 4), 2, 0, 1.25)
method("addmm_", X(2, 4), X(2, 3), X(3, 4), beta=0.5, alpha=-2)
method("addmv_", X(2), X(2, 3), X(3))
method("addr_", X(2, 3), X(2), X(3))
method("addbmm_", X(3, 2), X(2, 3, 4), X(2, 4, 2))
method("baddbmm_", X(2, 3, 2), X(2, 3, 4), X(2, 4, 2))

MASK = B([[True, False, True], [False, False, True]])
method("maskedFill_", X(2, 3), MASK, -2)
method("maskedScatter_", X(2, 3), MASK, X(4))
method("scatter_", X(3, 4), 1, I([[0, 2], [3, 1]]), X(2, 2))
method("scatterAdd_", X(3, 4), 0, I([[0, 2, 0, 1]]), X(1, 4))
method("scatterReduce_", X(3, 4), 0, I([[0, 2, 0, 1]]), X(1, 4), "amax")
method("indexAdd_", X(3, 4), 0, I([2, 2]), X(2, 4))
method("indexCopy_", X(3, 4), 0, I([2, 0]), X(2, 4))
method("indexFill_", X(3, 4), 0, I([2, 0]), 1.5)
method("indexPut_", X(3, 4), [I([0, 2]), I([1, 1])], X(2))
method("indexReduce_", X(3, 4), 0, I([2, 0]), X(2, 4), "mean")
method("put_", X(3, 4), I([[0, 11], [-2, 5]]), X(2, 2))
method("put_", X(3, 4), I([3, 3]), X(2), accumulate=True)
method("fillDiagonal_", X(5, 2), 1.5)
method("fillDiagonal_", X(5, 2), 1.5, wrap=True)
method("fillDiagonal_", X(3, 3, 3), -1)
