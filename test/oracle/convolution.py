"""convolution.json and .safetensors: values, gradients and second derivatives of every case."""
import zlib

import torch
from torch import nn

from convolution_cases import CASES
from fixture_json import snake_case, write_json
from plain_convolution import plain_convolution
from safetensors_writer import write_safetensors


def module_convolution(op, input, weight, bias, options):
    """Through nn.ConvNd, whose own code defines the padding modes."""
    groups = options.get("groups", 1)
    channels = (weight.shape[0], weight.shape[1] * groups)
    transposed = "Transpose" in op
    inputs, outputs = channels if transposed else channels[::-1]
    name = op[0].upper() + op[1:]
    module = getattr(nn, name)(inputs, outputs, tuple(weight.shape[2:]), bias=bias is not None, **snake_case(options))
    # Plain tensors in place of the parameters, so that they stay part of the caller's graph.
    del module.weight, module.bias
    module.weight, module.bias = weight, bias
    return module(input)


def derivatives(convolve, case, given):
    """Everything that a framework must reproduce: the output, its gradients, and the gradients of those."""
    leaves = {name: given[name].clone().requires_grad_() for name in ("input", "weight", "bias") if name in given}
    grad_output = given["gradOutput"].clone().requires_grad_()
    output = convolve(case["op"], leaves["input"], leaves["weight"], leaves.get("bias"), case["options"])
    gradients = torch.autograd.grad(output, list(leaves.values()), grad_output, create_graph=True)
    scalar = sum((given[vector(name)] * gradient).sum() for name, gradient in zip(leaves, gradients))
    second = torch.autograd.grad(scalar, [grad_output, leaves["input"], leaves["weight"]], allow_unused=True)
    results = {"output": output}
    results.update((f"grad{name.capitalize()}", gradient) for name, gradient in zip(leaves, gradients))
    for name, like, gradient in zip(("secondGradOutput", "secondInput", "secondWeight"),
                                    (grad_output, leaves["input"], leaves["weight"]), second):
        results[name] = torch.zeros_like(like) if gradient is None else gradient
    return {name: value.detach() for name, value in results.items()}


def vector(name):
    return "v" + name.capitalize()


def given_tensors(case):
    # The seed comes from the name, so that a new case leaves the numbers of the others alone.
    torch.manual_seed(zlib.crc32(case["name"].encode()))
    given = {name: torch.randn(case[name], dtype=torch.float64) for name in ("input", "weight")}
    if case["bias"]:
        axes = len(case["weight"]) - 2
        transposed = "Transpose" in case["op"]
        outputs = case["weight"][1] * case["options"].get("groups", 1) if transposed else case["weight"][0]
        given["bias"] = torch.randn(outputs, dtype=torch.float64)
    output = plain_convolution(case["op"], given["input"], given["weight"], given.get("bias"), case["options"])
    given.update({vector(name): torch.randn_like(given[name]) for name in list(given)})
    given["gradOutput"] = torch.randn_like(output)
    return given


def run_case(case):
    """PyTorch's numbers where it is right; the definition's where it refuses or differs, with a note."""
    given = given_tensors(case)
    plain = derivatives(plain_convolution, case, given)
    try:
        results = derivatives(module_convolution, case, given)
    except (RuntimeError, NotImplementedError, ValueError) as error:
        reason = str(error).splitlines()[0]
        return given, plain, f"from the definition; PyTorch refuses: {reason}"
    wrong = [name for name in plain if plain[name].shape != results[name].shape
             or not torch.allclose(plain[name], results[name], rtol=1e-9, atol=1e-9)]
    if wrong:
        return given, plain, f"from the definition; PyTorch differs in {', '.join(wrong)}"
    return given, results, None


def make_convolution(folder):
    tensors, cases = {}, []
    for case in CASES:
        given, results, note = run_case(case)
        for name, value in {**given, **results}.items():
            tensors[f"{case['name']}/{name}"] = value
        cases.append({**case, "note": note} if note else case)
    assert len({case["name"] for case in cases}) == len(cases)
    write_json(folder / "convolution.json", {"torch": torch.__version__, "cases": cases})
    write_safetensors(folder / "convolution.safetensors", tensors)
