"""Layers with parameters, normalisation, embeddings, attention and containers."""
import torch.nn.functional as F

from case_table import B, C, I, Module, Table, X
from written_oracles import scaled_dot_product_attention

table = Table("layers")
function, module, method = table.function, table.module, table.method
SPACES = {1: (2, 3, 5), 2: (2, 3, 4, 3), 3: (2, 3, 3, 2, 3)}
KERNELS = {1: [3], 2: [2, 3], 3: [2, 1, 3]}

# ---- convolutions: test/fixtures/convolution.* has the many geometries ----

for rank, shape in SPACES.items():
    kernel = KERNELS[rank]
    module(f"nn.Conv{rank}d", [3, 4, 2], X(*shape))
    module(f"nn.Conv{rank}d", [3, 6, kernel], X(*shape), stride=2, padding=1, groups=3, bias=False)
    module(f"nn.Conv{rank}d", [3, 2, 3], X(*shape), padding="same", paddingMode="replicate")
    module(f"nn.ConvTranspose{rank}d", [3, 2, 2], X(*shape))
    module(f"nn.ConvTranspose{rank}d", [3, 6, kernel], X(*shape), stride=2, padding=1, outputPadding=1, groups=3, bias=False)
    function(f"F.conv{rank}d", X(*shape), X(2, 3, *kernel), X(2), padding=1)
    function(f"F.conv{rank}d", X(*shape), X(3, 1, *kernel), None, groups=3, stride=2, padding=1)
    function(f"F.convTranspose{rank}d", X(*shape), X(3, 2, *kernel), X(2))
    function(f"F.convTranspose{rank}d", X(*shape), X(3, 2, *kernel), None, stride=2, padding=1, outputPadding=1)
module("nn.Linear", [3, 4], X(2, 3))
module("nn.Linear", [3, 4], X(2, 2, 3), bias=False)
module("nn.Bilinear", [3, 4, 5], X(2, 3), X(2, 4))
module("nn.Bilinear", [3, 4, 2], X(2, 2, 3), X(2, 2, 4), bias=False)

# ---- normalisation ----

for rank, shape in SPACES.items():
    batch, instance = f"nn.BatchNorm{rank}d", f"nn.InstanceNorm{rank}d"
    module(batch, [3], X(*shape))
    module(batch, [3], X(*shape), train=False)
    module(batch, [3], X(*shape), before=2, momentum=None)
    module(batch, [3], X(*shape), eps=0.125, momentum=0.5, affine=False)
    module(batch, [3], X(*shape), trackRunningStats=False)
    module(batch, [3], X(*shape), trackRunningStats=False, train=False)
    module(instance, [3], X(*shape))
    module(instance, [3], X(*shape), affine=True, eps=0.125)
    module(instance, [3], X(*shape), affine=True, trackRunningStats=True)
    module(instance, [3], X(*shape), affine=True, trackRunningStats=True, momentum=0.5, train=False)
    module(instance, [3], X(*shape[1:]))
module("nn.BatchNorm1d", [3], X(4, 3))
module("nn.BatchNorm1d", [3], X(1, 3), train=False)
module("nn.BatchNorm3d", [3], X(0, 3, 2, 2, 2), train=False)
MOMENTS = lambda: {"runningMean": C(3), "runningVar": C(3, kind="positive")}  # noqa: E731


def batch_norm(x, running_mean=None, running_var=None, **options):
    return F.batch_norm(x, running_mean, running_var, **options)


function("F.batchNorm", X(2, 3, 4), torch=batch_norm, **MOMENTS())
function("F.batchNorm", X(2, 3, 4), torch=batch_norm, training=True, weight=X(3), bias=X(3))
function("F.batchNorm", X(2, 3, 4), torch=batch_norm, **MOMENTS(), training=True, weight=X(3), eps=0.125)
function("F.batchNorm", X(2, 3, 4), torch=batch_norm, **MOMENTS(), bias=X(3), weight=X(3))
function("F.instanceNorm", X(2, 3, 4))
function("F.instanceNorm", X(2, 3, 4, 2), weight=X(3), bias=X(3), eps=0.125)
function("F.instanceNorm", X(2, 3, 4), **MOMENTS(), useInputStats=False)
function("F.instanceNorm", X(2, 3, 4), **MOMENTS(), useInputStats=True, momentum=0.5)
function("F.groupNorm", X(2, 6, 4), 3)
function("F.groupNorm", X(2, 6, 2, 3), 2, weight=X(6), bias=X(6), eps=0.125)
function("F.groupNorm", X(2, 6), 2)
function("F.layerNorm", X(2, 3, 4), [4])
function("F.layerNorm", X(2, 3, 4), [3, 4], weight=X(3, 4), bias=X(3, 4), eps=0.125)
function("F.layerNorm", X(0, 3, 4), [4], weight=X(4))
function("F.localResponseNorm", X(2, 5, 4), 3)
function("F.localResponseNorm", X(2, 5, 3, 2), 2, alpha=0.5, beta=0.5, k=2)
function("F.localResponseNorm", X(1, 5, 2, 3, 2), 4, alpha=0.5)
for shape in ((2, 6), (2, 6, 4), (2, 6, 2, 3), (2, 6, 2, 2, 2)):
    module("nn.GroupNorm", [3, 6], X(*shape))
module("nn.GroupNorm", [2, 6], X(2, 6, 4), affine=False, eps=0.125)
module("nn.GroupNorm", [1, 4], X(2, 4, 2, 1, 3))
module("nn.LayerNorm", [4], X(2, 3, 4))
module("nn.LayerNorm", [[3, 4]], X(2, 3, 4), eps=0.125)
module("nn.LayerNorm", [[2, 2, 3]], X(2, 3, 2, 2, 3))
module("nn.LayerNorm", [4], X(2, 4), elementwiseAffine=False)
module("nn.LocalResponseNorm", [3], X(2, 5, 4))
module("nn.LocalResponseNorm", [2], X(2, 5, 3, 2), alpha=0.5, beta=0.5, k=2)

WEIGHT, SPECTRAL = "nn.utils.weightNorm", "nn.utils.spectralNorm"
module("nn.Linear", [3, 4], X(2, 3), wrap=(WEIGHT, {}))
module("nn.Conv3d", [2, 3, 2], X(1, 2, 3, 2, 3), wrap=(WEIGHT, {}))
module("nn.Conv3d", [2, 3, 2], X(1, 2, 3, 2, 3), wrap=(WEIGHT, {"name": "weight", "dim": 1}))
module("nn.Linear", [3, 4], X(2, 3), wrap=(WEIGHT, {"dim": None}))
module("nn.ConvTranspose3d", [2, 3, 2], X(1, 2, 2, 2, 2), wrap=(WEIGHT, {"dim": 0}))
for train in (True, False):
    module("nn.Linear", [3, 4], X(2, 3), wrap=(SPECTRAL, {}), train=train)
    module("nn.Conv3d", [2, 3, 2], X(1, 2, 3, 2, 3), wrap=(SPECTRAL, {}), train=train)
module("nn.Conv1d", [2, 3, 2], X(1, 2, 3), wrap=(SPECTRAL, {"nPowerIterations": 3, "eps": 1e-6}))
module("nn.ConvTranspose3d", [2, 3, 2], X(1, 2, 2, 2, 2), wrap=(SPECTRAL, {}))
module("nn.Conv2d", [2, 3, 2], X(1, 2, 3, 3), wrap=(SPECTRAL, {"dim": 1}))

# ---- embeddings ----

WORDS = [[0, 2, 4], [4, 4, 1]]
function("F.embedding", I(WORDS), X(5, 3))
function("F.embedding", I(WORDS), X(5, 3), paddingIdx=4)
function("F.embedding", I(WORDS), X(5, 3), paddingIdx=-1, scaleGradByFreq=True)
# max_norm changes the weight itself, so it must not be a leaf that wants a gradient.
function("F.embedding", I(WORDS), C(5, 3), maxNorm=1.0)
function("F.embedding", I(WORDS), C(5, 3), maxNorm=1.5, normType=1)
function("F.embedding", I(3), X(5, 3))
module("nn.Embedding", [5, 3], I(WORDS))
module("nn.Embedding", [5, 3], I(WORDS), paddingIdx=4)
module("nn.Embedding", [5, 3], I(WORDS), scaleGradByFreq=True)
module("nn.Embedding", [5, 3], I([0, 2, 3]), maxNorm=0.5, normType=1)
for mode in ("mean", "sum", "max"):
    function("F.embeddingBag", I(WORDS), X(5, 3), mode=mode)
    function("F.embeddingBag", I([0, 2, 4, 4, 1]), X(5, 3), offsets=I([0, 2, 2]), mode=mode)
function("F.embeddingBag", I(WORDS), X(5, 3), mode="sum", perSampleWeights=X(2, 3))
function("F.embeddingBag", I(WORDS), X(5, 3), mode="mean", paddingIdx=4)
function("F.embeddingBag", I([0, 2, 4, 4, 1]), X(5, 3), offsets=I([0, 2, 5]), includeLastOffset=True)
module("nn.EmbeddingBag", [5, 3], I(WORDS))
module("nn.EmbeddingBag", [5, 3], I([0, 2, 4, 4, 1]), call={"offsets": I([0, 2])}, mode="sum")

# ---- shapes and distances as modules ----

module("nn.Flatten", [], X(2, 3, 4))
module("nn.Flatten", [0, 1], X(2, 3, 4))
module("nn.Unflatten", [1, [2, 3]], X(2, 6, 2))
module("nn.Unflatten", [-1, [3, 2]], X(2, 6))
module("nn.CosineSimilarity", [], X(3, 4), X(3, 4))
module("nn.CosineSimilarity", [], X(2, 3, 4), X(2, 3, 4), dim=-1, eps=0.25)
module("nn.PairwiseDistance", [], X(3, 4), X(3, 4))
module("nn.PairwiseDistance", [], X(3, 4), X(3, 4), p=1, eps=0.0625, keepdim=True)

# ---- attention ----

WRITTEN = "PyTorch 1.13 has no public single call; the definition of PyTorch 2"


def attention(make, **options):
    function("F.scaledDotProductAttention", *make(), torch=scaled_dot_product_attention, written=WRITTEN, **options)


qkv = lambda: (X(2, 3, 4), X(2, 5, 4), X(2, 5, 6))  # noqa: E731
MASK = [[True, True, False, True, True], [False, True, True, True, False], [True, False, False, False, True]]
attention(qkv)
attention(qkv, isCausal=True)
attention(qkv, scale=0.25)
attention(qkv, attnMask=B(MASK))
attention(qkv, attnMask=X(3, 5))
attention(lambda: (X(2, 2, 3, 4), X(2, 2, 3, 4), X(2, 2, 3, 4)), attnMask=X(2, 1, 3, 3))
attention(qkv, dropoutP=0.5, seed=3)
attention(lambda: (X(0, 3, 4), X(0, 5, 4), X(0, 5, 6)))

MHA = "nn.MultiheadAttention"
module(MHA, [4, 2], X(3, 2, 4), X(5, 2, 4), X(5, 2, 4))
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True)
module(MHA, [4, 2], X(3, 4), X(5, 4), X(5, 4))
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 3), X(2, 5, 6), batchFirst=True, kdim=3, vdim=6)
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True, bias=False, call={"needWeights": False})
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True, call={"averageAttnWeights": False})
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True, addBiasKv=True, addZeroAttn=True)
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True,
       call={"keyPaddingMask": B([[False, False, True, False, True], [False, True, False, False, False]])})
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True,
       call={"attnMask": B([[not keep for keep in row] for row in MASK])})
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True, call={"attnMask": C(3, 5)}, train=False)
module(MHA, [4, 2], X(2, 3, 4), X(2, 5, 4), X(2, 5, 4), batchFirst=True, dropout=0.5, seed=5)

ENCODER = "nn.TransformerEncoderLayer"
module(ENCODER, [4, 2], X(3, 2, 4), dimFeedforward=6, dropout=0)
module(ENCODER, [4, 2], X(2, 3, 4), dimFeedforward=6, dropout=0, batchFirst=True, normFirst=True, activation="gelu")
module(ENCODER, [4, 2], X(2, 3, 4), dimFeedforward=6, batchFirst=True, layerNormEps=0.125, train=False)
module(ENCODER, [4, 2], X(2, 3, 4), dimFeedforward=6, dropout=0, batchFirst=True, call={"srcMask": C(3, 3)})
module(ENCODER, [4, 2], X(3, 2, 4), dimFeedforward=6, dropout=0.25, seed=5)
LAYER = Module(ENCODER, 4, 2, dimFeedforward=6, dropout=0, batchFirst=True)
module("nn.TransformerEncoder", [LAYER, 2], X(2, 3, 4))
module("nn.TransformerEncoder", [LAYER, 1], X(2, 3, 4), norm=Module("nn.LayerNorm", 4),
       call={"srcKeyPaddingMask": B([[False, False, True], [False, True, False]])})

# ---- containers: their keys, and their parameters' order ----

module("nn.Sequential", [Module("nn.Linear", 3, 4), Module("nn.ReLU"), Module("nn.Linear", 4, 2)], X(2, 3))
module("nn.Sequential", [], X(2, 3))
module("nn.Sequential", [Module("nn.Conv3d", 1, 2, 1), Module("nn.BatchNorm3d", 2), Module("nn.MaxPool3d", 2)], X(2, 1, 2, 4, 2))
module("nn.ModuleList", [[Module("nn.Linear", 2, 3), Module("nn.ReLU"), Module("nn.BatchNorm1d", 3)]])
module("nn.ModuleList", [])
module("nn.ModuleDict", [{"first": Module("nn.Linear", 2, 3), "act": Module("nn.PReLU"), "norm": Module("nn.BatchNorm1d", 3)}])
module("nn.ModuleDict", [])
module("nn.ParameterList", [[C(2, 3), C()]])
module("nn.ParameterList", [])
module("nn.ParameterDict", [{"scale": C(3), "shift": C(2, 1)}])
