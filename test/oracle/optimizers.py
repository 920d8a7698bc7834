"""optimizers.json and .pt: losses of every optimizer, learning rates of every scheduler, saved states."""
import copy

import torch
from torch.optim.swa_utils import AveragedModel

from fixture_json import write_json
from optimizers_problem import RESUMED_AT, RUNS, STEPS, leaves, loss_of, make_optimizer, problem_data, run
from optimizers_schedules import make_scheduler, make_schedules

# Of one run of each optimizer, the state is saved half-way, with a scheduler's.
RESUMED = {
    "sgd momentum": ["OneCycleLR", [0.2], {"totalSteps": STEPS}],
    "sgd nesterov": ["CyclicLR", [0.01, 0.1], {"stepSizeUp": 7}],
    "adam amsgrad": ["CosineAnnealingLR", [20], {"etaMin": 1e-3}],
    "adamw": ["OneCycleLR", [0.05], {"totalSteps": STEPS}],
    "rmsprop momentum": ["StepLR", [10], {}],
    "adagrad decay": ["MultiStepLR", [[10, 30, 30]], {"gamma": 0.5}],
    "adadelta": ["ExponentialLR", [0.98], {}],
    "adamax": ["LinearLR", [], {"startFactor": 0.1, "totalIters": 40}],
    "nadam": ["CosineAnnealingWarmRestarts", [7], {"TMult": 2}],
    "radam": ["PolynomialLR", [], {"totalIters": 60}],
    "rprop": ["ConstantLR", [], {}],
    "asgd averaging": ["SequentialLR", [[["LinearLR", [], {"totalIters": 5}], ["StepLR", [9], {}]], [5]], {}],
    "lbfgs": ["ChainedScheduler", [[["LinearLR", [], {"totalIters": 9}], ["ExponentialLR", [0.99], {}]]], {}],
    "lbfgs wolfe history": ["LambdaLR", ["slow"], {}],
}


def picklable(state):
    """1.13 keeps methods in two schedulers' states; later versions leave them out."""
    return {key: value for key, value in state.items() if key not in ("anneal_func", "_scale_fn_ref")}


def follow_runs(data, initial, dtype=torch.float64):
    cases = []
    for name, optimizer_name, options, second in RUNS:
        parameters = leaves(initial, dtype)
        optimizer = make_optimizer(optimizer_name, parameters, options, second)
        losses = run(optimizer, parameters, [x.to(dtype) for x in data], STEPS)
        cases.append({"name": name, "optimizer": optimizer_name, "options": options, "second": second,
                      "losses": losses, "parameters": [p.tolist() for p in parameters]})
    return cases


def follow_resumed(data, initial):
    saved, cases = {}, []
    for name, optimizer_name, options, second in RUNS:
        if name not in RESUMED:
            continue
        parameters = leaves(initial)
        optimizer = make_optimizer(optimizer_name, parameters, options, second)
        scheduler = make_scheduler(RESUMED[name], optimizer)
        before = run(optimizer, parameters, data, RESUMED_AT, scheduler.step)
        # States share their tensors with the optimizer.
        saved[name] = copy.deepcopy({"optimizer": optimizer.state_dict(), "scheduler": picklable(scheduler.state_dict()),
                             "parameters": [p.detach() for p in parameters]})
        after = run(optimizer, parameters, data, STEPS - RESUMED_AT, scheduler.step)
        cases.append({"name": name, "optimizer": optimizer_name, "options": options, "second": second,
                      "scheduler": RESUMED[name], "before": before, "after": after})
    return saved, cases


class Linear(torch.nn.Module):
    def __init__(self, parameters):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.nn.Parameter(p.clone()) for p in parameters)


def follow_averages(data, initial):
    """Averages of the weights after each of ten steps: EMA with decay 0.8, and the plain mean."""
    model = Linear(initial)
    parameters = list(model.parameters())
    averaged = {
        "ema": AveragedModel(model, avg_fn=lambda average, p, _: 0.8 * average + 0.2 * p),
        "swa": AveragedModel(model),
    }
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.9)
    run(optimizer, parameters, data, 10, lambda: [a.update_parameters(model) for a in averaged.values()])
    return averaged


def clipped(data, initial):
    """Norms, and gradients after clipping, of one backward pass."""
    cases = []
    for norm_type in (2.0, 1.0, 3.0, float("inf")):
        for max_norm in (0.1, 100.0):
            parameters = leaves(initial)
            loss_of(parameters, *data).backward()
            total = torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)
            cases.append({"normType": norm_type if norm_type < 9 else "inf", "maxNorm": max_norm, "total": total.item(),
                          "gradients": [p.grad.tolist() for p in parameters]})
    return cases


def make_optimizers(folder):
    input, target, initial = problem_data()
    data = (input, target)
    saved, resumed = follow_resumed(data, initial)
    averages = follow_averages(data, initial)
    saved["averages"] = {name: model.state_dict() for name, model in averages.items()}
    write_json(folder / "optimizers.json", {
        "torch": torch.__version__, "input": input.tolist(), "target": target.tolist(),
        "initial": [p.tolist() for p in initial],
        "runs": follow_runs(data, initial),
        "float32Runs": [{"name": case["name"], "losses": case["losses"]}
                        for case in follow_runs(data, initial, torch.float32)],
        "resumed": resumed, "clipped": clipped(data, initial), "schedules": make_schedules(),
    })
    torch.save(saved, folder / "optimizers.pt")
