"""training.json, .safetensors and two .pt files: 20 epochs in float64, to be followed loss by loss."""
import copy

import torch
from torch import nn

from fixture_json import snake_case, write_json
from safetensors_writer import write_safetensors

EPOCHS = 20
SEGMENTATION = [
    ("Conv3d", [1, 4, 3], {"padding": 1}),
    ("BatchNorm3d", [4], {}),
    ("ReLU", [], {}),
    ("MaxPool3d", [2], {}),
    ("Conv3d", [4, 6, 3], {"padding": 2, "dilation": 2}),
    ("ReLU", [], {}),
    ("Conv3d", [6, 6, 5], {"padding": 2, "groups": 6}),
    ("BatchNorm3d", [6], {}),
    ("ReLU", [], {}),
    ("ConvTranspose3d", [6, 3, 2], {"stride": 2}),
]
CLASSIFIER = [
    ("Conv3d", [2, 3, 3], {"stride": 2, "padding": 1}),
    ("ReLU", [], {}),
    ("Flatten", [], {}),
    ("Linear", [3 * 3 * 2 * 3, 4], {}),
]
# name, optimizer, camelCase options
SEGMENTATION_RUNS = [
    ("sgd", "SGD", {"lr": 0.05, "momentum": 0.9, "weightDecay": 1e-3}),
    ("adam", "Adam", {"lr": 1e-2}),
]
CLASSIFIER_RUNS = [("nesterov", "SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True})]


def build(network):
    return nn.Sequential(*(getattr(nn, name)(*args, **options) for name, args, options in network)).double()


def describe(network):
    return [{"module": name, "args": args, "options": options} for name, args, options in network]


def train(model, optimizer, loss_function, input, target):
    """Each loss is taken before that epoch's step."""
    losses = []
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        loss = loss_function(model(input), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def segmentation_data():
    input = torch.randn(2, 1, 8, 6, 10, dtype=torch.float64)
    # Labels that depend on the input's neighbourhoods, so that there is something to learn.
    smooth = nn.functional.avg_pool3d(input, 3, stride=1, padding=1)[:, 0]
    labels = (smooth > -0.1).long() + (smooth > 0.1).long()
    return input, labels


def make_task(network, runs, loss_name, data, folder, file):
    """`data` holds two tensors under the names they get in the fixture: the input, then the target."""
    (input_name, input), (target_name, target) = data.items()
    model = build(network)
    torch.save(model.state_dict(), folder / file)
    tensors = dict(data)
    described = []
    for run, optimizer_name, options in runs:
        trained = copy.deepcopy(model)
        optimizer = getattr(torch.optim, optimizer_name)(trained.parameters(), **snake_case(options))
        losses = train(trained, optimizer, getattr(nn, loss_name)(), input, target)
        described.append({"name": run, "optimizer": optimizer_name, "options": options, "losses": losses})
        tensors.update((f"{run}/{key}", value) for key, value in trained.state_dict().items())
    task = {"network": describe(network), "initial": file, "input": input_name, "target": target_name,
            "loss": loss_name, "runs": described}
    return task, tensors


def make_training(folder):
    torch.manual_seed(7)
    input, labels = segmentation_data()
    segmentation, tensors = make_task(SEGMENTATION, SEGMENTATION_RUNS, "CrossEntropyLoss",
                                      {"input": input, "labels": labels}, folder, "training.pt")
    input = torch.randn(3, 2, 5, 4, 6, dtype=torch.float64)
    target = torch.randn(3, 4, dtype=torch.float64)
    classifier, more = make_task(CLASSIFIER, CLASSIFIER_RUNS, "MSELoss",
                                 {"classifier/input": input, "classifier/target": target},
                                 folder, "training_classifier.pt")
    write_json(folder / "training.json", {
        "torch": torch.__version__, "epochs": EPOCHS, "segmentation": segmentation, "classifier": classifier,
    })
    write_safetensors(folder / "training.safetensors", {**tensors, **more})
