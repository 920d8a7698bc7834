// PyTorch as a peer: the program that `python3 -c` runs (the commands stand in work.ts). float32 only.

export const TORCH_PROGRAM = `
import json, sys, time
import numpy, torch
import torch.nn.functional as F

state = {}


def read(name, shape):
    values = numpy.fromfile(state["folder"] + "/" + name, dtype=numpy.float32)
    return torch.from_numpy(values).reshape(shape)


def write(name, tensor):
    tensor.detach().contiguous().numpy().tofile(state["folder"] + "/PyTorch." + name)


class Conv:
    def __init__(self, work):
        self.x = read("x", work["input"]).requires_grad_()
        self.w = read("w0", work["weight"]).requires_grad_()
        self.g = read("g", work["output"])
        self.options = (None, work["stride"], work["padding"], work["dilation"], work["groups"])

    def forward(self):
        with torch.no_grad():
            return {"y": F.conv3d(self.x, self.w, *self.options)}

    def gradients(self):
        y = F.conv3d(self.x, self.w, *self.options)
        dx, dw = torch.autograd.grad(y, (self.x, self.w), self.g)
        return {"y": y, "dx": dx, "dw0": dw}

    def train(self):
        self.gradients()


class Net(torch.nn.Module):
    def __init__(self, work):
        super().__init__()
        self.steps = [self.step(layer) for layer in work["layers"]]
        self.modules_ = torch.nn.ModuleList(m for _, m in self.steps if isinstance(m, torch.nn.Module))
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(read("w%d" % i, p.shape))
        self.x = read("x", work["input"])
        n, classes, *volume = work["output"]
        # The first channel of the numbers decides the class.
        self.labels = (read("g", work["output"])[:, 0] > 0).long()
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-4)

    @staticmethod
    def step(layer):
        op = layer["op"]
        if op == "conv":
            options = {k: layer[k] for k in ("stride", "padding", "dilation", "groups") if k in layer}
            return op, torch.nn.Conv3d(layer["in"], layer["out"], layer["kernel"], **options)
        if op == "upConv":
            return op, torch.nn.ConvTranspose3d(layer["in"], layer["out"], layer["kernel"], stride=layer["kernel"])
        if op == "batchNorm":
            return op, torch.nn.BatchNorm3d(layer["channels"])
        if op == "relu":
            return op, torch.nn.ReLU(inplace=False)
        if op == "maxPool":
            return op, torch.nn.MaxPool3d(layer["size"])
        return op, layer.get("as") or layer.get("with")

    def compute(self):
        h, kept = self.x, {}
        for op, what in self.steps:
            if op == "keep":
                kept[what] = h
            elif op == "join":
                h = torch.cat([h, kept[what]], 1)
            else:
                h = what(h)
        return h

    def forward(self):
        with torch.no_grad():
            return {"y": self.compute()}

    def loss(self):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.compute(), self.labels)
        loss.backward()
        return loss

    def gradients(self):
        self.loss()
        return {"dw%d" % i: p.grad for i, p in enumerate(self.parameters())}

    def train(self):
        loss = self.loss()
        self.optimizer.step()
        loss.item()


def load(command):
    state["folder"] = command["folder"]
    torch.set_num_threads(command["threads"])
    work = command["work"]
    state["work"] = (Conv if work["kind"] == "conv" else Net)(work)
    return {"version": torch.__version__, "passes": ["forward", "train"]}


def run(command):
    do = state["work"].forward if command["pass"] == "forward" else state["work"].train
    begin = time.perf_counter()
    do()
    return {"ms": (time.perf_counter() - begin) * 1000}


def values(command):
    work = state["work"]
    results = work.forward() if command["pass"] == "forward" else work.gradients()
    for name, tensor in results.items():
        write(name, tensor)
    return {"written": True}


COMMANDS = {"load": load, "run": run, "write": values}
for line in sys.stdin:
    command = json.loads(line)
    print(json.dumps(COMMANDS[command["do"]](command)), flush=True)
`;
