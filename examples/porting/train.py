# The script to port: a small 3D network, its data and its training all follow from one seed.
#
#   python3 train.py > losses.json

import json

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv3d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm3d(4)
        self.down = nn.Conv3d(4, 8, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose3d(8, 4, 2, stride=2)
        self.head = nn.Conv3d(4, 2, 1)

    def forward(self, x):
        a = F.relu(self.norm(self.stem(x)))
        b = F.leaky_relu(self.down(a), 0.1)
        return self.head(self.up(b) + a)


torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
x = torch.randn(4, 1, 8, 8, 8)
y = (F.avg_pool3d(x, 3, stride=1, padding=1) > 0).long().squeeze(1)

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-2, total_steps=60)

losses = []
for epoch in range(30):
    order = torch.randperm(4)
    for half in order.split(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[half]), y[half])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

print(json.dumps(losses))
