"""Losses: every one as a function and as a module."""
from case_table import C, I, Table, V, VX, X
from written_oracles import ctc_loss, dice_loss, focal_loss

table = Table("losses")
function, module = table.function, table.module
REDUCTIONS = [{}, {"reduction": "sum"}, {"reduction": "none"}]
INF = float("inf")


def both(function_path, module_path, make, *configurations):
    """`make()` gives fresh inputs: each row owns its tensors."""
    for options in configurations:
        function(function_path, *make(), **options)
        module(module_path, [], *make(), **options)


def pair(kind="normal"):
    return lambda: (X(2, 3, 4, kind=kind), X(2, 3, 4))


both("F.mseLoss", "nn.MSELoss", pair(), *REDUCTIONS)
both("F.l1Loss", "nn.L1Loss", pair(), *REDUCTIONS)
both("F.smoothL1Loss", "nn.SmoothL1Loss", pair(), *REDUCTIONS, {"beta": 0.25}, {"beta": 0})
both("F.huberLoss", "nn.HuberLoss", pair(), *REDUCTIONS, {"delta": 0.5}, {"delta": 2, "reduction": "none"})
for path in ("mseLoss", "l1Loss", "smoothL1Loss", "huberLoss"):
    function(f"F.{path}", X(), X())
    function(f"F.{path}", X(0, 3), X(0, 3))
    function(f"F.{path}", X(0, 3), X(0, 3), reduction="sum")
    function(f"F.{path}", VX([1.0, 2.0]), V([1.0, float("nan")]), reduction="none")

probabilities = lambda: (X(3, 4, kind="probability"), C(3, 4, kind="probability"))  # noqa: E731
both("F.binaryCrossEntropy", "nn.BCELoss", probabilities, *REDUCTIONS)
for options in ({}, {"reduction": "none"}):
    function("F.binaryCrossEntropy", *probabilities(), weight=C(4, kind="positive"), **options)
    module("nn.BCELoss", [], *probabilities(), weight=C(4, kind="positive"), **options)
function("F.binaryCrossEntropy", V([0.0, 1.0, 0.0, 1.0]), V([0.0, 1.0, 1.0, 0.0]), reduction="none")
logits = lambda: (X(3, 4, kind="wide"), C(3, 4, kind="probability"))  # noqa: E731
NAME = "F.binaryCrossEntropyWithLogits"
both(NAME, "nn.BCEWithLogitsLoss", logits, *REDUCTIONS)
for options in ({"weight": C(4, kind="positive")}, {"posWeight": C(4, kind="positive")},
                {"weight": C(3, 1, kind="positive"), "posWeight": C(4, kind="positive"), "reduction": "none"}):
    function(NAME, *logits(), **options)
    module("nn.BCEWithLogitsLoss", [], *logits(), **options)
function(NAME, VX([-200.0, 200.0, 0.0]), V([0.0, 1.0, 0.5]), reduction="none")

# ---- classes ----

CLASSES, SPATIAL = [2, 0, 4, 2], [[[0, 2, 1], [1, 1, 0]], [[2, 2, 0], [0, 1, 2]]]
IGNORED = [2, -100, 4, 2]
flat = lambda: (X(4, 5), I(CLASSES))  # noqa: E731
grid = lambda: (X(2, 3, 2, 3), I(SPATIAL))  # noqa: E731
soft = lambda: (X(4, 5), X(4, 5, kind="probability"))  # noqa: E731
soft_grid = lambda: (X(2, 3, 2, 3), C(2, 3, 2, 3, kind="probability"))  # noqa: E731
volume = lambda: (X(1, 2, 2, 2, 2), I([[[[0, 1], [1, 1]], [[0, 0], [1, -100]]]]))  # noqa: E731


def weighted(classes):
    return {"weight": C(classes, kind="positive")}


for make, classes in ((flat, 5), (grid, 3), (soft, 5), (soft_grid, 3), (volume, 2)):
    both("F.crossEntropy", "nn.CrossEntropyLoss", make, {}, {"reduction": "sum"})
    function("F.crossEntropy", *make(), reduction="none")
    for options in ({}, {"labelSmoothing": 0.1}, {"labelSmoothing": 0.25, "reduction": "none"},
                    {"labelSmoothing": 0.1, "reduction": "sum"}):
        function("F.crossEntropy", *make(), **options, **weighted(classes))
        module("nn.CrossEntropyLoss", [], *make(), **options, **weighted(classes))
    function("F.crossEntropy", *make(), labelSmoothing=0.2)
both("F.crossEntropy", "nn.CrossEntropyLoss", lambda: (X(4, 5), I(IGNORED)), {}, {"labelSmoothing": 0.1})
both("F.crossEntropy", "nn.CrossEntropyLoss", flat, {"ignoreIndex": 2}, {"ignoreIndex": 2, "labelSmoothing": 0.3})
function("F.crossEntropy", *flat(), ignoreIndex=2, reduction="none", **weighted(5))
function("F.crossEntropy", X(5), I(3))
function("F.crossEntropy", X(5), C(5, kind="probability"))
function("F.crossEntropy", X(2, 5), I([-100, -100]))
function("F.crossEntropy", X(0, 5), I([]))
function("F.crossEntropy", X(0, 5), I([]), reduction="sum")
function("F.crossEntropy", VX([[1000.0, 0.0], [-1000.0, 1000.0]]), I([0, 0]), reduction="none")
for make, classes in ((flat, 5), (grid, 3), (volume, 2)):
    both("F.nllLoss", "nn.NLLLoss", make, *REDUCTIONS)
    function("F.nllLoss", *make(), **weighted(classes))
    module("nn.NLLLoss", [], *make(), **weighted(classes), ignoreIndex=-100 if make is volume else 1)
function("F.nllLoss", X(4, 5), I(IGNORED), reduction="none", **weighted(5))
function("F.nllLoss", X(5), I(3))

log_probabilities = lambda: (X(3, 4), X(3, 4, kind="probability"))  # noqa: E731
both("F.klDiv", "nn.KLDivLoss", log_probabilities, *REDUCTIONS, {"reduction": "batchmean"})
both("F.klDiv", "nn.KLDivLoss", lambda: (X(3, 4), X(3, 4)), {"logTarget": True},
     {"logTarget": True, "reduction": "batchmean"})
function("F.klDiv", X(4), V([0.0, 0.5, 0.5, 0.0]), reduction="sum")

# ---- distances and margins ----

SIGNS = [1.0, -1.0, 1.0]
vectors = lambda: (X(3, 4), X(3, 4), V(SIGNS))  # noqa: E731
both("F.cosineEmbeddingLoss", "nn.CosineEmbeddingLoss", vectors, *REDUCTIONS, {"margin": 0.25})
both("F.hingeEmbeddingLoss", "nn.HingeEmbeddingLoss", lambda: (X(3), V(SIGNS)), *REDUCTIONS, {"margin": 2})
both("F.marginRankingLoss", "nn.MarginRankingLoss", lambda: (X(3), X(3), V(SIGNS)), *REDUCTIONS, {"margin": 0.5})
both("F.softMarginLoss", "nn.SoftMarginLoss", lambda: (X(3), V(SIGNS)), *REDUCTIONS)
both("F.multiMarginLoss", "nn.MultiMarginLoss", flat, *REDUCTIONS, {"p": 2, "margin": 0.5})
function("F.multiMarginLoss", *flat(), **weighted(5))
LABELS = [[3, 0, -1, 1], [1, 2, 0, -1]]
both("F.multilabelMarginLoss", "nn.MultiLabelMarginLoss", lambda: (X(2, 4), I(LABELS)), *REDUCTIONS)
both("F.multilabelSoftMarginLoss", "nn.MultiLabelSoftMarginLoss",
     lambda: (X(2, 4), V([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])), *REDUCTIONS)
function("F.multilabelSoftMarginLoss", X(2, 3), V([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]), **weighted(3))
triplets = lambda: (X(3, 4), X(3, 4), X(3, 4))  # noqa: E731
both("F.tripletMarginLoss", "nn.TripletMarginLoss", triplets, *REDUCTIONS, {"margin": 2, "p": 1},
     {"swap": True, "eps": 0.0625})
both("F.tripletMarginWithDistanceLoss", "nn.TripletMarginWithDistanceLoss", triplets, *REDUCTIONS,
     {"margin": 2, "swap": True})
counts = lambda: (X(3, 4), C(3, 4, kind="over1"))  # noqa: E731
both("F.poissonNllLoss", "nn.PoissonNLLLoss", counts, *REDUCTIONS, {"full": True})
both("F.poissonNllLoss", "nn.PoissonNLLLoss", lambda: (X(3, 4, kind="positive"), C(3, 4, kind="over1")),
     {"logInput": False}, {"logInput": False, "full": True, "eps": 0.0625})
both("F.gaussianNllLoss", "nn.GaussianNLLLoss", lambda: (X(3, 4), X(3, 4), X(3, 4, kind="positive")), *REDUCTIONS,
     {"full": True, "eps": 0.5})
function("F.gaussianNllLoss", X(3, 4), X(3, 4), X(3, 1, kind="positive"))
sequences = lambda: (X(6, 2, 4), I([[1, 2, 2], [3, 1, 0]]), I([6, 5]), I([3, 2]))  # noqa: E731
short = lambda: (X(2, 2, 4), I([[1, 2, 2], [3, 1, 0]]), I([2, 2]), I([3, 2]))  # noqa: E731
CTC = {"torch": ctc_loss, "written": "PyTorch's gradient is right only after a log_softmax"}
for options in REDUCTIONS:
    function("F.ctcLoss", *sequences(), **options, **CTC)
    module("nn.CTCLoss", [], *sequences(), **options, **CTC)
function("F.ctcLoss", *short(), zeroInfinity=True, **CTC)
function("F.ctcLoss", C(2, 2, 4), *short()[1:], reduction="none", **CTC)
function("F.ctcLoss", X(6, 2, 4), I([[1, 2, 2], [0, 1, 0]]), I([6, 6]), I([3, 2]), blank=3, **CTC)
module("nn.CTCLoss", [], *short(), zeroInfinity=True, **CTC)

# ---- not in PyTorch ----

WRITTEN = "PyTorch has none; the definitions of MONAI and torchvision"
masks = lambda: (X(2, 3, 2, 2), C(2, 3, 2, 2, kind="probability"))  # noqa: E731
for options in ({}, {"sigmoid": True}, {"softmax": True}, {"softmax": True, "includeBackground": False},
                {"sigmoid": True, "squaredPred": True}, {"sigmoid": True, "jaccard": True}, {"sigmoid": True, "batch": True},
                {"sigmoid": True, "reduction": "sum"}, {"sigmoid": True, "reduction": "none"},
                {"sigmoid": True, "smoothNr": 0, "smoothDr": 0.5}):
    for path, add in (("F.diceLoss", function), ("nn.DiceLoss", lambda p, *a, **o: module(p, [], *a, **o))):
        add(path, *masks(), torch=dice_loss, written=WRITTEN, **options)
function("F.diceLoss", X(2, 3, 2, 3), I(SPATIAL), softmax=True, torch=dice_loss, written=WRITTEN)
for options in ({}, {"gamma": 0.5}, {"alpha": 0.25}, {"gamma": 3, "reduction": "sum"}, {"reduction": "none"}, {"gamma": 0}):
    for path, add in (("F.focalLoss", function), ("nn.FocalLoss", lambda p, *a, **o: module(p, [], *a, **o))):
        add(path, X(2, 3, 4), C(2, 3, 4, kind="probability"), torch=focal_loss, written=WRITTEN, **options)
for options in ({}, {"alpha": 0.25}, {"gamma": 1, "reduction": "none"}):
    function("F.focalLoss", *grid(), softmax=True, torch=focal_loss, written=WRITTEN, **options)
function("F.focalLoss", *grid(), softmax=True, alpha=C(3, kind="positive"), torch=focal_loss, written=WRITTEN)
