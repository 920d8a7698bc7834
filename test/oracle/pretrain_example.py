"""faults.pt: a small network pretrained on synthetic seismic volumes with faults, in float32.

A volume is layers of random reflectivity, gently folded, cut and displaced along a few dipping
planes, and blurred along depth by a wavelet. The label is 1 within a voxel of such a plane.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

SHAPE = (12, 12, 48)  # two horizontal axes, then depth
STEPS = 260
BATCH = 4
# Faults are rare, so a missed one costs more than a false alarm.
CLASS_WEIGHTS = (1.0, 3.0)


class FaultNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv3d(1, 4, 3, padding=1)
        self.stemNorm = nn.BatchNorm3d(4)
        self.large = nn.Conv3d(4, 4, 9, padding=4, groups=4)
        self.largeNorm = nn.BatchNorm3d(4)
        self.down = nn.Conv3d(4, 8, 3, stride=2, padding=1)
        self.context = nn.Conv3d(8, 8, 3, padding=2, dilation=2)
        self.up = nn.ConvTranspose3d(8, 4, 2, stride=2)
        self.head = nn.Conv3d(4, 2, 1)

    def forward(self, x):
        a = F.relu(self.stemNorm(self.stem(x)))
        b = F.relu(self.largeNorm(self.large(a)))
        c = F.relu(self.down(b))
        d = F.relu(self.context(c))
        e = F.relu(self.up(d)) + b
        return self.head(e)


def uniform(low, high):
    return low + (high - low) * torch.rand(()).item()


def ricker(length=9, frequency=0.16):
    t = (torch.arange(length) - length // 2) * math.pi * frequency
    return (1 - 2 * t ** 2) * torch.exp(-t ** 2)


def fault_distances(grid):
    """Signed distance to a steep plane through the volume."""
    azimuth, dip = uniform(0, 2 * math.pi), uniform(math.radians(55), math.radians(85))
    normal = (math.cos(azimuth) * math.sin(dip), math.sin(azimuth) * math.sin(dip), math.cos(dip))
    point = [size * uniform(0.25, 0.75) for size in SHAPE]
    return sum(n * (axis - p) for n, axis, p in zip(normal, grid, point))


def volume():
    """One volume [1, *SHAPE], standardised, and its labels [*SHAPE]."""
    x, y, z = grid = torch.meshgrid(*(torch.arange(float(size)) for size in SHAPE), indexing="ij")
    fold = uniform(0, 2) * torch.sin(x * uniform(0.1, 0.4) + uniform(0, 6)) + uniform(-0.3, 0.3) * y
    layer = z + fold
    label = torch.zeros(SHAPE, dtype=torch.long)
    for _ in range(int(torch.randint(1, 3, ()))):
        distance = fault_distances(grid)
        throw = uniform(3, 7) * (1 if uniform(0, 1) < 0.5 else -1)
        layer = layer + throw * (distance > 0)
        label[distance.abs() < 1] = 1

    # Reflectivity by layer, read between layers by linear interpolation.
    margin = 32
    reflectivity = torch.randn(SHAPE[2] + 2 * margin)
    position = (layer + margin).clamp(0, len(reflectivity) - 2)
    below = position.floor().long()
    part = position - below
    signal = reflectivity[below] * (1 - part) + reflectivity[below + 1] * part

    wavelet = ricker()
    signal = F.conv1d(signal.reshape(-1, 1, SHAPE[2]), wavelet.reshape(1, 1, -1), padding=len(wavelet) // 2)
    signal = signal.reshape(1, *SHAPE)
    signal = signal + 0.1 * signal.std() * torch.randn_like(signal)
    return (signal - signal.mean()) / signal.std(), label


def volumes(count):
    made = [volume() for _ in range(count)]
    return torch.stack([signal for signal, _ in made]), torch.stack([label for _, label in made])


def quality(model, count=24):
    """Of held-out volumes: voxels right, the overlap (IoU) with the faults, and the IoU of saying "fault" everywhere."""
    signal, label = volumes(count)
    model.eval()
    with torch.no_grad():
        said = model(signal).argmax(1)
    both, either = ((said & label) > 0).sum().item(), ((said | label) > 0).sum().item()
    return (said == label).float().mean().item(), both / either, label.float().mean().item()


def make_example(folder):
    torch.manual_seed(2024)
    model = FaultNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    weights = torch.tensor(CLASS_WEIGHTS)
    for _ in range(STEPS):
        signal, label = volumes(BATCH)
        optimizer.zero_grad()
        F.cross_entropy(model(signal), label, weights).backward()
        optimizer.step()
        schedule.step()
    torch.save(model.state_dict(), folder / "faults.pt")
    print("pretrained: accuracy %.3f, IoU %.3f (chance IoU %.3f)" % quality(model))
