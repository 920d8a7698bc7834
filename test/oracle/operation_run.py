"""One row of the tables, computed by PyTorch in one dtype."""
import torch
from torch import nn

from case_table import snake
from operation_arguments import build, callee, keywords, resolve
from operation_results import structure, tensors_of
from operation_tensors import Drawer


class Run:
    """A row computed in one dtype: outputs, and gradients by the leaves and parameters."""

    def __init__(self, row, given, dtype):
        self.row, self.given, self.dtype = row, given, dtype
        self.leaves = {key: self.leaf(key, tensor) for key, tensor in given.items()}
        self.state, self.after, self.parameters = None, {}, {}
        self.output = structure(self.call(), row["fields"])

    def leaf(self, key, tensor):
        tensor = tensor.clone()
        if tensor.is_floating_point() and key.dtype is None:
            tensor = tensor.to(self.dtype)
        return tensor.requires_grad_() if key.grad else tensor

    def call(self):
        row = self.row
        if row["kind"] == "module":
            return self.call_module()
        if row["seed"] is not None:
            torch.manual_seed(row["seed"])
        args = [resolve(item, self.leaves, self.dtype) for item in row["args"]]
        return callee(row)(*args, **keywords(row["options"], self.leaves, self.dtype))

    def call_module(self):
        row = self.row
        if row["torch"]:
            self.state = {}
            args = [resolve(item, self.leaves, self.dtype) for item in row["inputs"]]
            return row["torch"](*args, **keywords(row["options"], self.leaves, self.dtype))
        torch.manual_seed(0)
        module = build(row["path"], row["args"], row["options"], self.leaves, self.dtype)
        if row["wrap"]:
            path, options = row["wrap"]
            module = getattr(nn.utils, snake(path.split(".")[-1]))(module, **keywords(options, self.leaves, self.dtype))
        self.state = randomised(module)
        module.train(row["train"])
        if row["seed"] is not None:
            torch.manual_seed(row["seed"])
        args = [resolve(item, self.leaves, self.dtype) for item in row["inputs"]]
        options = keywords(row["callOptions"], self.leaves, self.dtype)
        before = {name: value.clone() for name, value in module.state_dict().items()}
        for _ in range(row["before"]):
            module(*args, **options)
        output = module(*args, **options) if args else None
        self.parameters = {name: value for name, value in module.named_parameters() if value.requires_grad}
        self.after = {name: value.clone() for name, value in module.state_dict().items()
                      if not torch.equal(value, before[name])}
        return output

    def differentiate(self, grad_outputs):
        """Gradients of the inputs that want one, and of the parameters by name; None where nothing flows."""
        outputs = [output for output, gradient in zip(tensors_of(self.output), grad_outputs) if gradient is not None]
        wanted = [leaf for key, leaf in self.leaves.items() if key.grad]
        wanted += self.parameters.values()
        if not outputs or not wanted:
            return [None] * len(wanted)
        given = [gradient for gradient in grad_outputs if gradient is not None]
        grads = [gradient.to(output.dtype) for gradient, output in zip(given, outputs)]
        return torch.autograd.grad(outputs, wanted, grads, allow_unused=True)


def randomised(module):
    """Parameters and running statistics with numbers of their own: defaults of 0 and 1 hide mistakes."""
    drawer, state = Drawer(), {}
    with torch.no_grad():
        for name, value in module.state_dict(keep_vars=True).items():
            last = name.split(".")[-1]
            if isinstance(value, nn.Parameter) or last in ("running_mean", "weight_u", "weight_v"):
                value.copy_(drawer.draw("normal", value.shape) * 0.5)
            elif last == "running_var":
                value.copy_(drawer.draw("positive", value.shape))
            # float32 holds these exactly, whatever the dtype of the run.
            state[name] = value.detach().to(torch.float32) if value.is_floating_point() else value.detach().clone()
    return state
