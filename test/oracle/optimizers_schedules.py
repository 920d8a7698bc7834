"""Learning rates, and momenta, of every scheduler on an optimizer with two groups."""
import torch
from torch.optim import lr_scheduler

from fixture_json import snake_case

STEPS = 30
FUNCTIONS = {"inverse": lambda epoch: 1 / (1 + epoch), "slow": lambda epoch: 0.95 ** epoch,
             "constant": lambda epoch: 0.9}
METRICS = [1, 0.9, 0.95, 0.93, 0.92, 0.899999, 0.91, 0.91, 0.91, 0.91, 0.91, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6,
           0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]

# name, spec = [scheduler, positional arguments, camelCase options]; schedulers of schedulers hold specs
SCHEDULES = [
    ("step", ["StepLR", [4], {"gamma": 0.5}]),
    ("multistep", ["MultiStepLR", [[3, 7, 7, 20]], {}]),
    ("constant", ["ConstantLR", [], {"factor": 0.25, "totalIters": 6}]),
    ("warm-up", ["LinearLR", [], {"startFactor": 0.1, "totalIters": 10}]),
    ("linear to an end", ["LinearLR", [], {"startFactor": 0.9, "endFactor": 0.2}]),
    ("exponential", ["ExponentialLR", [0.9], {}]),
    ("polynomial", ["PolynomialLR", [], {"totalIters": 12, "power": 2}]),
    ("cosine", ["CosineAnnealingLR", [8], {"etaMin": 1e-3}]),
    ("warm restarts", ["CosineAnnealingWarmRestarts", [5], {}]),
    ("longer restarts", ["CosineAnnealingWarmRestarts", [3], {"TMult": 2, "etaMin": 1e-3}]),
    ("one cycle", ["OneCycleLR", [0.5], {"totalSteps": 30}]),
    ("one cycle linear", ["OneCycleLR", [[0.5, 0.2]], {"epochs": 5, "stepsPerEpoch": 6, "annealStrategy": "linear",
                                                       "pctStart": 0.4, "divFactor": 10, "finalDivFactor": 100}]),
    ("one cycle of three", ["OneCycleLR", [0.5], {"totalSteps": 30, "threePhase": True, "baseMomentum": 0.7}]),
    ("one cycle without momentum", ["OneCycleLR", [0.5], {"totalSteps": 40, "cycleMomentum": False}]),
    ("triangles", ["CyclicLR", [0.01, 0.2], {"stepSizeUp": 4}]),
    ("halving triangles", ["CyclicLR", [[0.01, 0.02], 0.2], {"stepSizeUp": 3, "stepSizeDown": 5, "mode": "triangular2"}]),
    ("fading triangles", ["CyclicLR", [0.01, [0.2, 0.4]], {"stepSizeUp": 4, "mode": "exp_range", "gamma": 0.95}]),
    ("lambda", ["LambdaLR", ["inverse"], {}]),
    ("a lambda for each group", ["LambdaLR", [["inverse", "slow"]], {}]),
    ("multiplicative", ["MultiplicativeLR", ["constant"], {}]),
    ("warm-up, then cosine", ["SequentialLR", [[["LinearLR", [], {"startFactor": 0.1, "totalIters": 5}],
                                                ["CosineAnnealingLR", [20], {}]], [5]], {}]),
    ("three in a row", ["SequentialLR", [[["ConstantLR", [], {"factor": 0.1, "totalIters": 4}],
                                          ["ExponentialLR", [0.8], {}], ["StepLR", [3], {}]], [4, 12]], {}]),
    ("chained", ["ChainedScheduler", [[["ConstantLR", [], {"factor": 0.1, "totalIters": 4}],
                                       ["ExponentialLR", [0.9], {}]]], {}]),
    ("swa", ["SWALR", [0.01], {"annealEpochs": 6}]),
    ("swa linear", ["SWALR", [[0.01, 0.5]], {"annealEpochs": 4, "annealStrategy": "linear"}]),
]
PLATEAUS = [
    ("plateau", {"patience": 2}),
    ("plateau of a maximum", {"patience": 3, "mode": "max", "factor": 0.5, "cooldown": 2, "minLr": [0.02, 0]}),
    ("plateau by difference", {"patience": 1, "thresholdMode": "abs", "threshold": 0.05, "cooldown": 1, "minLr": 1e-4}),
]
# Jumps by step(epoch), for which PyTorch takes the closed forms.
JUMPS = [5, 2, 0, 9, 13.5, 4]
JUMPING = ["step", "multistep", "constant", "warm-up", "exponential", "polynomial", "cosine", "warm restarts",
           "longer restarts"]


def make_scheduler(spec, optimizer):
    name, args, options = spec
    if name in ("SequentialLR", "ChainedScheduler"):
        schedulers = [make_scheduler(inner, optimizer) for inner in args[0]]
        if name == "ChainedScheduler":
            return lr_scheduler.ChainedScheduler(schedulers)
        return lr_scheduler.SequentialLR(optimizer, schedulers, *args[1:])
    if name in ("LambdaLR", "MultiplicativeLR"):
        args = [[FUNCTIONS[f] for f in args[0]] if isinstance(args[0], list) else FUNCTIONS[args[0]]]
    names = {key.replace("TMult", "T_mult"): value for key, value in options.items()}
    options = {"T_mult" if key == "T_mult" else key: value for key, value in snake_options(names).items()}
    home = torch.optim.swa_utils if name == "SWALR" else lr_scheduler
    return getattr(home, name)(optimizer, *args, **options)


def snake_options(options):
    kept = {key: value for key, value in options.items() if "_" in key}
    return {**snake_case({key: value for key, value in options.items() if "_" not in key}), **kept}


def two_groups(name):
    parameters = [torch.zeros(2, requires_grad=True) for _ in range(2)]
    groups = [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.05}]
    options = {"lr": 0.1, "momentum": 0.9} if name == "SGD" else {"lr": 0.1}
    return getattr(torch.optim, name)(groups, **options)


def momentum_of(group):
    return group["betas"][0] if "betas" in group else group["momentum"]


def follow(optimizer, scheduler, calls):
    def now():
        groups = optimizer.param_groups
        return [[group["lr"] for group in groups], [momentum_of(group) for group in groups]]

    rows = [now()]
    for args in calls:
        optimizer.step()
        scheduler.step(*args)
        rows.append(now())
    lrs, momenta = ([row[i] for row in rows] for i in (0, 1))
    return {"lrs": lrs, "momenta": momenta if any(m != momenta[0] for m in momenta) else None}


def make_schedules():
    cases = []
    for name, spec in SCHEDULES:
        kinds = ["SGD", "Adam"] if name.startswith("one cycle") else ["SGD"]
        for kind in kinds:
            optimizer = two_groups(kind)
            followed = follow(optimizer, make_scheduler(spec, optimizer), [()] * (STEPS - 1))
            cases.append({"name": name, "optimizer": kind, "scheduler": spec, **followed})
    for name, options in PLATEAUS:
        optimizer = two_groups("SGD")
        scheduler = make_scheduler(["ReduceLROnPlateau", [], options], optimizer)
        cases.append({"name": name, "optimizer": "SGD", "scheduler": ["ReduceLROnPlateau", [], options],
                      "metrics": METRICS, **follow(optimizer, scheduler, [(m,) for m in METRICS])})
    for name in JUMPING:
        spec = dict(SCHEDULES)[name]
        epochs = [int(epoch) for epoch in JUMPS] if "restarts" not in name else JUMPS
        optimizer = two_groups("SGD")
        followed = follow(optimizer, make_scheduler(spec, optimizer), [(epoch,) for epoch in epochs])
        cases.append({"name": name + ", jumping", "optimizer": "SGD", "scheduler": spec, "epochs": epochs, **followed})
    return cases
