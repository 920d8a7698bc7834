"""operations.json and .safetensors: what PyTorch computes for every row of the tables in cases/."""
import torch

from cases import TABLES
from fixture_json import write_json
from operation_arguments import encode, inputs_of
from operation_results import describe, relative_error, tensors_of
from operation_run import Run
from operation_tensors import Drawer, Store
from safetensors_writer import write_safetensors

FLOAT32_TOLERANCE = 2e-6


def run_row(row, store):
    store.begin(row["name"])
    drawer = Drawer()
    parts = (row["args"], row["options"], row.get("inputs"), row.get("callOptions"))
    given = {key: drawer.of(key) for key in inputs_of(list(parts))}
    wide, narrow = Run(row, given, torch.float64), None
    if row["float32"] in (None, "own"):
        narrow = Run(row, given, torch.float32)
    grad_outputs = [drawer.draw("normal", output.shape) if output.requires_grad else None
                    for output in tensors_of(wide.output)]
    gradients = wide.differentiate(grad_outputs)

    case = {"name": row["name"], "kind": row["kind"], "path": row["path"], "args": encode(row["args"], given, store),
            "options": encode(row["options"], given, store)}
    if row["kind"] == "module":
        case["inputs"] = encode(row["inputs"], given, store)
        case["callOptions"] = encode(row["callOptions"], given, store)
        case["train"] = row["train"]
        if row["wrap"]:
            case["wrap"] = list(row["wrap"])
        if row["before"]:
            case["before"] = row["before"]
        case["state"] = {name: store.given(value) for name, value in wide.state.items()}
        case["after"] = {name: store.result(value) for name, value in wide.after.items()}
        case["parameters"] = list(wide.parameters)
    for name in ("seed", "written"):
        if row[name] is not None:
            case[name] = row[name]
    if narrow is None:
        case["float64Only"] = row["float32"]
    case["output"] = describe(wide.output, narrow and narrow.output, store)
    if any(gradient is not None for gradient in grad_outputs):
        case["gradOutputs"] = keys_of(grad_outputs, store.given)
        case["gradients"] = keys_of(gradients, store.result)
    if narrow:
        add_float32(case, row, narrow, wide, grad_outputs, gradients, store)
    return {name: value for name, value in case.items() if value not in ({}, []) or name in ("args", "output")}


def keys_of(tensors, keep):
    return [None if tensor is None else keep(tensor) for tensor in tensors]


def add_float32(case, row, narrow, wide, grad_outputs, gradients, store):
    """Random numbers differ by dtype, so seeded rows (and rows that say so) keep float32 results of their own.
    Elsewhere float64 is the truth for both, and PyTorch's float32 must stand the same test."""
    narrow_gradients = narrow.differentiate(grad_outputs)
    if row["seed"] is not None or row["float32"] == "own":
        case["float32"] = {"output": describe(narrow.output, None, store), "gradients": keys_of(narrow_gradients, store.result)}
        return
    pairs = list(zip(tensors_of(narrow.output), tensors_of(wide.output))) + list(zip(narrow_gradients, gradients))
    worst = max((relative_error(a, b) for a, b in pairs), default=0.0)
    if worst > FLOAT32_TOLERANCE:
        raise AssertionError(f"PyTorch's own float32 errs by {worst:.1e}: choose other inputs")


def numbered_rows():
    """Numbered per path, so that a new row leaves the names of other paths alone."""
    counts = {}
    for table in TABLES:
        for row in table.rows:
            number = counts[row["path"]] = counts.get(row["path"], 0) + 1
            yield table, {**row, "name": f"{row['path']} {number}"}


def make_operations(folder):
    store, cases, failures = Store(), [], []
    for table, row in numbered_rows():
        try:
            cases.append({"family": table.name, **run_row(row, store)})
        except Exception as error:  # noqa: BLE001 - all broken rows are told at once
            failures.append(f"{row['name']}: {type(error).__name__}: {error}")
    if failures:
        raise SystemExit("\n".join(failures))
    write_json(folder / "operations.json", {"torch": torch.__version__, "cases": cases})
    write_safetensors(folder / "operations.safetensors", store.tensors)
