"""operation_errors.json: what PyTorch says to the wrong calls of cases/refusals.py."""
import torch
import torch.nn.functional as F

from case_table import Input
from cases import refusals
from fixture_json import write_json
from operation_tensors import Drawer
from operation_arguments import build, callee, inputs_of, keywords, resolve


def encode(value):
    """Tensors as shape or values: only these matter to a refusal."""
    if isinstance(value, Input):
        kind = {"dtype": value.dtype} if value.dtype else {}
        return {"values": value.values, **kind} if value.kind == "values" else {"zeros": list(value.shape), **kind}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {name: encode(item) for name, item in value.items()}
    return value


def call(row):
    drawer = Drawer()
    given = {key: drawer.of(key) for key in inputs_of([row["args"], row["options"], row.get("inputs", [])])}
    args = [resolve(item, given, torch.float32) for item in row["args"]]
    options = keywords(row["options"], given, torch.float32)
    if row["kind"] == "module":
        module = build(row["path"], row["args"], row["options"], given, torch.float32)
        return module(*(given[item] for item in row["inputs"])) if row["inputs"] else module
    if row["path"] == "F.batchNorm":
        # Our statistics are options, PyTorch's are positional.
        return F.batch_norm(args[0], None, None, **options)
    return callee(row)(*args, **options)


def message_of(row):
    """The first line of what PyTorch throws; None where it accepts the call."""
    try:
        call(row)
    except (RuntimeError, ValueError, TypeError, IndexError, AssertionError) as error:
        return str(error).splitlines()[0]
    return None


def make_operation_errors(folder):
    rows, accepted = [], []
    for row in refusals.table.rows:
        message = message_of(row)
        if message is None:
            accepted.append(f"{row['path']} {encode(row['args'])} {encode(row['options'])}")
        entry = {name: encode(row[name]) for name in ("kind", "path", "args", "options", "inputs") if row.get(name)}
        rows.append({**entry, "message": message})
    if accepted:
        raise SystemExit("PyTorch accepts\n" + "\n".join(accepted))
    write_json(folder / "operation_errors.json", {"torch": torch.__version__, "errors": rows})
