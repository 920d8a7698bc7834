"""annealing.pt, annealing.json: states of OneCycleLR and SWALR, whose curve is pickled as a method, and the
learning rates of the steps after them."""
import torch
from torch.optim.lr_scheduler import OneCycleLR
from torch.optim.swa_utils import SWALR

from fixture_json import write_json

SCHEDULERS = {
    "one cycle": lambda o: OneCycleLR(o, max_lr=1.0, total_steps=12, anneal_strategy="linear"),
    "one cycle of three": lambda o: OneCycleLR(o, max_lr=2.0, total_steps=14, three_phase=True),
    "swa": lambda o: SWALR(o, swa_lr=0.01, anneal_epochs=6),
    "swa linear": lambda o: SWALR(o, swa_lr=0.01, anneal_epochs=7, anneal_strategy="linear"),
}
BEFORE, AFTER = 3, 6


def make_annealing(folder):
    saved, rates = {}, {}
    for name, make in SCHEDULERS.items():
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(2))], lr=0.1, momentum=0.9)
        scheduler = make(optimizer)

        def steps(count):
            for _ in range(count):
                optimizer.step()
                scheduler.step()
                yield scheduler.get_last_lr()[0]

        list(steps(BEFORE))
        # Serialised at once: a state shares its lists with the scheduler.
        torch.save({"scheduler": scheduler.state_dict(), "optimizer": optimizer.state_dict()}, folder / "part.pt")
        saved[name] = torch.load(folder / "part.pt")
        rates[name] = list(steps(AFTER))
    (folder / "part.pt").unlink()
    torch.save(saved, folder / "annealing.pt")
    write_json(folder / "annealing.json", rates)
