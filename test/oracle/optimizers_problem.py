"""A small regression that optimizers can be followed on, and the table of the runs."""
import torch

from fixture_json import snake_case

STEPS = 50
RESUMED_AT = 25

# name, optimizer, camelCase options, more of them for the second group (None: there is one group)
RUNS = [
    ("sgd", "SGD", {"lr": 0.05}, None),
    ("sgd momentum", "SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.1, "weightDecay": 1e-3}, None),
    ("sgd nesterov", "SGD", {"lr": 0.05, "momentum": 0.8, "nesterov": True}, {"lr": 0.02, "momentum": 0.5}),
    ("sgd maximize", "SGD", {"lr": 0.01, "momentum": 0.5, "maximize": True}, None),
    ("adam", "Adam", {"lr": 0.02}, None),
    ("adam amsgrad", "Adam", {"lr": 0.02, "amsgrad": True, "weightDecay": 0.01, "betas": [0.8, 0.9]},
     {"lr": 0.05, "eps": 1e-3}),
    ("adam maximize", "Adam", {"lr": 0.01, "maximize": True}, None),
    ("adamw", "AdamW", {"lr": 0.02}, None),
    ("adamw amsgrad", "AdamW", {"lr": 0.02, "amsgrad": True, "weightDecay": 0.1, "betas": [0.7, 0.95]},
     {"weightDecay": 0}),
    ("adamw maximize", "AdamW", {"lr": 0.01, "maximize": True}, None),
    ("rmsprop", "RMSprop", {}, None),
    ("rmsprop centered", "RMSprop", {"lr": 0.005, "alpha": 0.9, "centered": True, "weightDecay": 0.01}, None),
    ("rmsprop momentum", "RMSprop", {"lr": 0.002, "momentum": 0.9, "centered": True}, {"momentum": 0, "lr": 0.01}),
    ("rmsprop maximize", "RMSprop", {"lr": 0.002, "maximize": True}, None),
    ("adagrad", "Adagrad", {}, None),
    ("adagrad decay", "Adagrad", {"lr": 0.1, "lrDecay": 0.1, "initialAccumulatorValue": 0.5, "weightDecay": 0.01},
     {"eps": 1e-3}),
    ("adagrad maximize", "Adagrad", {"lr": 0.01, "maximize": True}, None),
    ("adadelta", "Adadelta", {}, None),
    ("adadelta decay", "Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weightDecay": 0.01}, {"rho": 0.95}),
    ("adadelta maximize", "Adadelta", {"lr": 0.5, "maximize": True}, None),
    ("adamax", "Adamax", {}, None),
    ("adamax decay", "Adamax", {"lr": 0.02, "betas": [0.8, 0.9], "weightDecay": 0.01}, {"eps": 1e-2}),
    ("adamax maximize", "Adamax", {"lr": 0.01, "maximize": True}, None),
    ("nadam", "NAdam", {"lr": 0.02}, None),
    ("nadam decay", "NAdam", {"lr": 0.02, "momentumDecay": 0.1, "weightDecay": 0.01, "betas": [0.8, 0.9]},
     {"momentumDecay": 0}),
    ("radam", "RAdam", {"lr": 0.02}, None),
    ("radam decay", "RAdam", {"lr": 0.02, "weightDecay": 0.01, "betas": [0.8, 0.9]}, {"eps": 1e-2}),
    ("rprop", "Rprop", {}, None),
    ("rprop etas", "Rprop", {"lr": 0.005, "etas": [0.4, 1.3], "stepSizes": [1e-3, 0.05]}, {"lr": 0.02}),
    ("rprop maximize", "Rprop", {"lr": 0.001, "stepSizes": [1e-6, 0.02], "maximize": True}, None),
    ("asgd", "ASGD", {}, None),
    ("asgd averaging", "ASGD", {"lr": 0.1, "lambd": 1e-2, "alpha": 0.5, "t0": 10, "weightDecay": 0.01}, {"t0": 30}),
    ("asgd maximize", "ASGD", {"lr": 0.01, "maximize": True}, None),
    ("lbfgs", "LBFGS", {"lr": 0.1, "maxIter": 2}, None),
    ("lbfgs history", "LBFGS", {"lr": 0.2, "maxIter": 4, "historySize": 3, "maxEval": 3}, None),
    ("lbfgs wolfe", "LBFGS", {"maxIter": 2, "lineSearchFn": "strong_wolfe"}, None),
    ("lbfgs wolfe history", "LBFGS", {"lr": 3, "maxIter": 1, "historySize": 2, "lineSearchFn": "strong_wolfe"}, None),
]


def problem_data():
    """Inputs, targets, and the four initial parameters: 3 -> 4 -> 1 with tanh between."""
    torch.manual_seed(11)
    input = torch.randn(8, 3, dtype=torch.float64)
    target = torch.sin(2 * input.sum(1, keepdim=True)) + 0.3 * input[:, :1]
    shapes = [(4, 3), (4,), (1, 4), (1,)]
    return input, target, [0.5 * torch.randn(shape, dtype=torch.float64) for shape in shapes]


def loss_of(parameters, input, target):
    weight1, bias1, weight2, bias2 = parameters
    hidden = torch.tanh(input @ weight1.T + bias1)
    return ((hidden @ weight2.T + bias2 - target) ** 2).mean()


def make_optimizer(name, parameters, options, second=None):
    """The two layers are the two groups where the second one has options of its own."""
    groups = parameters if second is None else [
        {"params": parameters[:2]}, {"params": parameters[2:], **snake_case(second)},
    ]
    return getattr(torch.optim, name)(groups, **snake_case(options))


def run(optimizer, parameters, data, steps, after_step=lambda: None):
    """Each loss is taken before its step."""
    def closure():
        optimizer.zero_grad()
        loss = loss_of(parameters, *data)
        loss.backward()
        return loss

    losses = []
    for _ in range(steps):
        losses.append(optimizer.step(closure).item())
        after_step()
    return losses


def leaves(values, dtype=torch.float64):
    return [value.detach().clone().to(dtype).requires_grad_() for value in values]
