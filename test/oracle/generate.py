"""Makes every fixture that the TypeScript tests compare with, by running PyTorch.

    /usr/bin/python3 test/oracle/generate.py [part ...]          write the fixtures (of these parts)
    /usr/bin/python3 test/oracle/generate.py --check [part ...]  make them again elsewhere and compare
"""
import argparse
import pathlib
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True

import torch  # noqa: E402

from annealing import make_annealing  # noqa: E402
from checkpoints import make_checkpoints  # noqa: E402
from compare import differences  # noqa: E402
from convolution import make_convolution  # noqa: E402
from convolution_errors import make_convolution_errors  # noqa: E402
from initial_values import make_initial_values  # noqa: E402
from operation_errors import make_operation_errors  # noqa: E402
from operations import make_operations  # noqa: E402
from optimizers import make_optimizers  # noqa: E402
from pretrain_example import make_example  # noqa: E402
from random_streams import make_random_streams  # noqa: E402
from seeded_training import make_seeded_training  # noqa: E402
from torch_names import make_torch_names  # noqa: E402
from training_run import make_training  # noqa: E402

FIXTURES = "test/fixtures"
PARTS = {
    "convolution": (make_convolution, FIXTURES),
    "convolution_errors": (make_convolution_errors, FIXTURES),
    "training": (make_training, FIXTURES),
    "seeded_training": (make_seeded_training, FIXTURES),
    "checkpoints": (make_checkpoints, FIXTURES),
    "initial_values": (make_initial_values, FIXTURES),
    "random_streams": (make_random_streams, FIXTURES),
    "operations": (make_operations, FIXTURES),
    "operation_errors": (make_operation_errors, FIXTURES),
    "torch_names": (make_torch_names, FIXTURES),
    "optimizers": (make_optimizers, FIXTURES),
    "annealing": (make_annealing, FIXTURES),
    "example": (make_example, "examples/seismic/checkpoint"),
}


def make(parts, root):
    for part in parts:
        maker, folder = PARTS[part]
        (root / folder).mkdir(parents=True, exist_ok=True)
        maker(root / folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    parts = arguments.parts or list(PARTS)
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    # One thread sums in one order, so that the numbers come out the same every time.
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", category=UserWarning)
    repository = pathlib.Path(__file__).resolve().parents[2]
    if not arguments.check:
        make(parts, repository)
        return 0
    with tempfile.TemporaryDirectory() as fresh:
        make(parts, pathlib.Path(fresh))
        found = differences(pathlib.Path(fresh), repository)
    print("\n".join(found) or "all fixtures agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
