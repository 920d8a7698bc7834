"""Continues runs that were saved elsewhere.

    /usr/bin/python3 test/oracle/optimizers_continue.py FILE.pt < cases.json

FILE.pt holds {name: {optimizer, scheduler, parameters}}, cases.json the rows [{name, optimizer, scheduler, groups,
steps}]; prints {name: losses}. Options come from the states alone, but for those that a constructor needs.
"""
import json
import sys
import warnings

sys.dont_write_bytecode = True

import torch  # noqa: E402

from optimizers_problem import leaves, make_optimizer, problem_data, run  # noqa: E402
from optimizers_schedules import make_scheduler  # noqa: E402

torch.set_num_threads(1)
warnings.filterwarnings("ignore", category=UserWarning)
saved = torch.load(sys.argv[1])
input, target, _ = problem_data()
losses = {}
for case in json.load(sys.stdin):
    state = saved[case["name"]]
    parameters = leaves(state["parameters"])
    needed = {"lr": 1, "momentum": 0.5} if case["optimizer"] == "SGD" else {}
    optimizer = make_optimizer(case["optimizer"], parameters, needed, {} if case["groups"] == 2 else None)
    scheduler = make_scheduler(case["scheduler"], optimizer)
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    losses[case["name"]] = run(optimizer, parameters, (input, target), case["steps"], scheduler.step)
print(json.dumps(losses))
