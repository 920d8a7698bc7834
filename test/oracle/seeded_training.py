"""seeded_training.json and .safetensors: four runs of 20 epochs that start from a seed alone.

The seed makes the weights, then the data, then every dropout mask. Each run has another network,
optimizer, schedule and loss; together they hold dilated, depthwise and transposed convolutions and
all normalisations. Convolutions before a batch norm have no bias: its gradient would be nothing but
rounding, which adaptive optimizers divide by its own size.
"""
import torch
from torch import nn

from fixture_json import snake_case, write_json
from safetensors_writer import write_safetensors

EPOCHS = 20

RUNS = [
    {
        "name": "nesterov-cosine",
        "seed": 11,
        "dtype": "float64",
        "network": [
            ("Conv3d", [1, 4, 3], {"padding": 1}),
            ("InstanceNorm3d", [4], {"affine": True}),
            ("LeakyReLU", [0.1], {}),
            ("Conv3d", [4, 4, 3], {"padding": 2, "dilation": 2}),
            ("GroupNorm", [2, 4], {}),
            ("ELU", [], {}),
            ("AvgPool3d", [2], {}),
            ("ConvTranspose3d", [4, 2, 2], {"stride": 2}),
        ],
        "input": [2, 1, 6, 4, 8],
        "target": {"normal": [2, 2, 6, 4, 8]},
        "loss": "MSELoss",
        "optimizer": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weightDecay": 1e-4}),
        "scheduler": ("CosineAnnealingLR", [EPOCHS], {}),
    },
    {
        "name": "adam",
        "seed": 12,
        "dtype": "float64",
        "network": [
            ("Conv3d", [2, 4, 3], {"stride": 2, "padding": 1, "bias": False}),
            ("BatchNorm3d", [4], {}),
            ("ReLU", [], {}),
            ("Conv3d", [4, 8, 3], {"padding": 1, "groups": 4, "bias": False}),
            ("BatchNorm3d", [8], {"momentum": None}),
            ("GELU", [], {}),
            ("Dropout3d", [0.2], {}),
            ("AdaptiveAvgPool3d", [2], {}),
            ("Flatten", [], {}),
            ("LayerNorm", [64], {}),
            ("Dropout", [0.1], {}),
            ("Linear", [64, 3], {}),
        ],
        "input": [4, 2, 6, 5, 7],
        "target": {"classes": 3, "shape": [4]},
        "loss": "CrossEntropyLoss",
        "optimizer": ("Adam", {"lr": 0.01}),
        "scheduler": None,
    },
    {
        "name": "adamw-amsgrad-steps-clipping",
        "seed": 13,
        "dtype": "float64",
        "network": [
            ("Conv3d", [1, 6, 3], {"stride": 2, "padding": 1, "bias": False}),
            ("BatchNorm3d", [6], {}),
            ("PReLU", [6], {}),
            ("Conv3d", [6, 6, 5], {"padding": 2, "groups": 6, "bias": False}),
            ("InstanceNorm3d", [6], {}),
            ("SiLU", [], {}),
            ("ConvTranspose3d", [6, 4, 3], {"stride": 2, "padding": 1, "outputPadding": 1}),
            ("GroupNorm", [4, 4], {}),
            ("Tanh", [], {}),
            ("Conv3d", [4, 3, 1], {}),
        ],
        "input": [2, 1, 6, 8, 4],
        "target": {"classes": 3, "shape": [2, 6, 8, 4]},
        "loss": "CrossEntropyLoss",
        "optimizer": ("AdamW", {"lr": 0.02, "amsgrad": True, "weightDecay": 0.05}),
        "scheduler": ("MultiStepLR", [[8, 14]], {"gamma": 0.3}),
        "maxNorm": 0.5,
    },
    {
        "name": "rmsprop-centered-float32",
        "seed": 14,
        "dtype": "float32",
        "network": [
            ("Conv3d", [1, 4, 3], {"padding": 1, "paddingMode": "replicate", "bias": False}),
            ("BatchNorm3d", [4], {}),
            ("ReLU", [], {}),
            ("MaxPool3d", [2], {}),
            ("Conv3d", [4, 4, 3], {"padding": 3, "dilation": 3, "groups": 2}),
            ("GroupNorm", [1, 4], {}),
            ("Softplus", [], {}),
            ("ConvTranspose3d", [4, 1, 2], {"stride": 2}),
        ],
        "input": [2, 1, 4, 6, 8],
        "target": {"normal": [2, 1, 4, 6, 8]},
        "loss": "SmoothL1Loss",
        "optimizer": ("RMSprop", {"lr": 1e-3, "centered": True, "momentum": 0.5}),
        "scheduler": ("ExponentialLR", [0.95], {}),
    },
]


def make_target(target):
    if "normal" in target:
        return torch.randn(target["normal"])
    return torch.randint(0, target["classes"], target["shape"])


def follow(run):
    """The losses (each before its step), the trained model and its optimizer."""
    torch.set_default_dtype(getattr(torch, run["dtype"]))
    torch.manual_seed(run["seed"])
    model = nn.Sequential(*(getattr(nn, name)(*args, **snake_case(options)) for name, args, options in run["network"]))
    input, target = torch.randn(run["input"]), make_target(run["target"])
    loss_function = getattr(nn, run["loss"])()
    optimizer_name, options = run["optimizer"]
    optimizer = getattr(torch.optim, optimizer_name)(model.parameters(), **snake_case(options))
    scheduler = None
    if run["scheduler"]:
        scheduler_name, args, options = run["scheduler"]
        scheduler = getattr(torch.optim.lr_scheduler, scheduler_name)(optimizer, *args, **snake_case(options))
    losses = []
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        loss = loss_function(model(input), target)
        loss.backward()
        if "maxNorm" in run:
            nn.utils.clip_grad_norm_(model.parameters(), run["maxNorm"])
        optimizer.step()
        if scheduler:
            scheduler.step()
        losses.append(loss.item())
    return losses, model, optimizer


def state_norms(optimizer):
    """The 2-norm of every tensor that the optimizer keeps, by parameter number and name."""
    return {f"{number}.{name}": value.double().norm().item()
            for number, state in optimizer.state_dict()["state"].items()
            for name, value in state.items() if torch.is_tensor(value) and name != "step"}


def make_seeded_training(folder):
    described, tensors = [], {}
    for run in RUNS:
        losses, model, optimizer = follow(run)
        network = [{"module": name, "args": args, "options": options} for name, args, options in run["network"]]
        described.append({**run, "network": network, "losses": losses, "stateNorms": state_norms(optimizer)})
        tensors.update((f"{run['name']}/{key}", value) for key, value in model.state_dict().items())
    torch.set_default_dtype(torch.float32)
    write_json(folder / "seeded_training.json", {"torch": torch.__version__, "epochs": EPOCHS, "runs": described})
    write_safetensors(folder / "seeded_training.safetensors", tensors)
