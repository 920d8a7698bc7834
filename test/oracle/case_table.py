"""The words in which the tables of cases/ are written: one row per call.

    method("cumsum", X(2, 3, 4), 1)                  x.cumsum(1)
    function("F.elu", X(3, 4), alpha=1.5)            F.elu(x, { alpha: 1.5 })
    module("nn.Dropout", [0.5], X(3, 4), seed=7)     new nn.Dropout(0.5), after manualSeed(7)

Names and options are ours (camelCase); PyTorch's follow from them unless `torch=` says otherwise.
"""
import re


class Input:
    """A tensor argument: drawn by `kind` and shape, or given by its values."""

    def __init__(self, kind, shape=None, values=None, dtype=None, grad=False):
        self.kind, self.shape, self.values, self.dtype, self.grad = kind, shape, values, dtype, grad


class Module:
    """A module as an argument of another."""

    def __init__(self, path, *args, **options):
        self.path, self.args, self.options = path, list(args), options


def X(*shape, kind="normal"):
    """A floating tensor whose gradient is compared; kinds: normal, positive, unit, probability, wide."""
    return Input(kind, shape, grad=True)


def C(*shape, kind="normal"):
    """A floating tensor without gradient."""
    return Input(kind, shape)


def V(values, grad=False):
    """A floating tensor of these values."""
    return Input("values", values=values, grad=grad)


def VX(values):
    return V(values, grad=True)


def I(values, dtype="int64"):
    """A whole-number tensor of these values, the same in every run."""
    return Input("values", values=values, dtype=dtype)


def B(values):
    return I(values, "bool")


def Z(*shape, dtype=None):
    """Zeros: for wrong calls, where only shapes and dtypes matter."""
    return Input("zeros", shape, dtype=dtype)


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


class Table:
    """Rows of one family; `name` is the file they are stored under."""

    def __init__(self, name):
        self.name, self.rows = name, []

    def add(self, kind, path, args, options, settings):
        row = {"kind": kind, "path": path, "args": args, "options": options, **settings}
        self.rows.append(row)

    def method(self, path, *args, torch=None, fields=None, seed=None, float32=None, written=None, **options):
        self.add("method", path, list(args), options, settings(torch, fields, seed, float32, written))

    def function(self, path, *args, torch=None, fields=None, seed=None, float32=None, written=None, **options):
        self.add("function", path, list(args), options, settings(torch, fields, seed, float32, written))

    def module(self, path, args, *inputs, torch=None, fields=None, seed=None, float32=None, written=None, train=True,
               call=None, wrap=None, before=0, **options):
        """`call`: options of the call; `wrap`: (function, options) applied to the module; `before`: calls made earlier."""
        extra = {"inputs": list(inputs), "callOptions": call or {}, "train": train, "wrap": wrap, "before": before}
        self.add("module", path, list(args), options, {**settings(torch, fields, seed, float32, written), **extra})


def settings(torch, fields, seed, float32, written):
    """torch: callable or path; fields: names of a tuple's parts; float32: "own" results, or why only float64 is compared;
    written: why the expectation comes from a formula written here."""
    return {"torch": torch, "fields": fields, "seed": seed, "float32": float32, "written": written}
