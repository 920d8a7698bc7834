// What the scripts for torch and torch_npu have in common: the call, its backward in three ways, and a
// check of each against float64 on the CPU. Every way runs in a process of its own, so that one which
// dies leaves the others, and says how it died.

import type { ReproCall } from './call.js';

const tuple = (values: readonly (number | boolean)[]): string =>
  `(${values.map((v) => (typeof v === 'boolean' ? (v ? 'True' : 'False') : v)).join(', ')},)`;

/** The parameters. */
export const parameters = (call: ReproCall): string => `X_SHAPE = ${tuple(call.input)}
W_SHAPE = ${tuple(call.weight)}
STRIDE, PADDING, DILATION = ${tuple(call.stride)}, ${tuple(call.padding)}, ${tuple(call.dilation)}
GROUPS = ${call.groups}
DTYPE = torch.${call.dtype}
NEEDS = ${tuple(call.needs.slice(0, 2))}  # gradients of x and of w`;

/** How far a gradient may be from float64, relative to its largest element. */
export const TOLERANCE = `TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}[DTYPE]`;

/** The ways, and the program that runs them. It needs DEVICE, prepare, synchronize and print_versions. */
export const BACKWARD = `RANK = len(STRIDE)
conv = (F.conv1d, F.conv2d, F.conv3d)[RANK - 1]


def sizes(scale):
    """Shapes with the volume divided by scale, but large enough for the kernel."""
    least = [d * (k - 1) + 1 for d, k in zip(DILATION, W_SHAPE[2:])]
    volume = [max(s // scale, k) for s, k in zip(X_SHAPE[2:], least)]
    return X_SHAPE[:2] + tuple(volume), W_SHAPE


def tensors(scale, dtype, device):
    """The same numbers for every way: from one seed, on the CPU, in float32."""
    x_shape, w_shape = sizes(scale)
    torch.manual_seed(0)
    x = torch.randn(x_shape)
    w = torch.randn(w_shape) / (W_SHAPE[1] * prod(W_SHAPE[2:])) ** 0.5
    y_volume = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x_shape[2:], PADDING, DILATION, W_SHAPE[2:], STRIDE)
    ]
    g = torch.randn((x_shape[0], W_SHAPE[0]) + tuple(y_volume))
    # Rounded first, so that the reference has the same numbers.
    return [t.to(DTYPE).to(dtype).to(device) for t in (x, w, g)]


def prod(values):
    result = 1
    for value in values:
        result *= value
    return result


def native(x, w, g):
    """One call for all gradients that are wanted, as autograd makes it."""
    x.requires_grad_(NEEDS[0])
    w.requires_grad_(NEEDS[1])
    y = conv(x, w, None, STRIDE, PADDING, DILATION, GROUPS)
    y.backward(g)
    return x.grad, w.grad


def composite(x, w, g):
    """dx as a forward convolution of the spread gradient, dw by the weight-only backward."""
    return (composite_input(x, w, g) if NEEDS[0] else None), (composite_weight(x, w, g) if NEEDS[1] else None)


def composite_input(x, w, g):
    spread = g.new_zeros(g.shape[:2] + tuple((n - 1) * s + 1 for n, s in zip(g.shape[2:], STRIDE)))
    spread[(slice(None), slice(None)) + tuple(slice(None, None, s) for s in STRIDE)] = g
    margins = []
    for a in reversed(range(RANK)):
        reach = DILATION[a] * (W_SHAPE[2 + a] - 1)
        tail = x.shape[2 + a] + 2 * PADDING[a] - reach - 1 - (g.shape[2 + a] - 1) * STRIDE[a]
        margins += [reach - PADDING[a], reach - PADDING[a] + tail]
    spread = F.pad(spread, margins)  # negative margins crop
    co, ci = W_SHAPE[0] // GROUPS, W_SHAPE[1]
    flipped = w.flip(tuple(range(2, 2 + RANK))).reshape((GROUPS, co, ci) + W_SHAPE[2:])
    exchanged = flipped.transpose(1, 2).reshape((GROUPS * ci, co) + W_SHAPE[2:])
    return conv(spread, exchanged, None, 1, 0, DILATION, GROUPS)


def composite_weight(x, w, g):
    mask = (False, True, False)
    zeros = [0] * RANK
    return torch.ops.aten.convolution_backward(
        g, x, w, None, list(STRIDE), list(PADDING), list(DILATION), False, zeros, GROUPS, mask
    )[1]


WAYS = {"native": native, "composite": composite}


def run_one(way, scale):
    x, w, g = prepare(*tensors(scale, DTYPE, DEVICE))
    with torch.no_grad() if way == "composite" else torch.enable_grad():
        dx, dw = WAYS[way](x, w, g)
    synchronize()
    return [t if t is None else t.detach().cpu() for t in (dx, dw)]


def outcome(way, scale, folder):
    """Gradients of a way that runs in a process of its own, or how that ended."""
    path = os.path.join(folder, way + ".pt")
    command = [sys.executable, os.path.abspath(__file__), "--only", way, "--scale", str(scale), "--out", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode == 0 and os.path.exists(path):
        return torch.load(path), None
    how = "died by signal %d" % -done.returncode if done.returncode < 0 else "failed"
    return None, how + "\\n" + "\\n".join("    " + line for line in done.stdout.strip().split("\\n")[-40:])


def reference(scale):
    x, w, g = tensors(scale, torch.float64, "cpu")
    return native(x, w, g)


def error(got, wanted):
    """Largest difference relative to the largest element."""
    return float((got.double() - wanted.double()).abs().max() / max(1.0, float(wanted.double().abs().max())))


def compare(name, gradients, wanted):
    good = True
    for what, got, want in zip(("dx", "dw"), gradients, wanted):
        if got is None or want is None:
            continue
        off = error(got, want)
        finite = bool(torch.isfinite(got.float()).all())
        ok = finite and off <= TOLERANCE
        good = good and ok
        print("%-24s %s  error %.2e  %s%s" % (name, what, off, "ok" if ok else "WRONG", "" if finite else " (not finite)"))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="divide the volume by this")
    parser.add_argument("--reference", action="store_true", help="compare with float64 on the CPU (slow for large volumes)")
    parser.add_argument("--in-process", action="store_true", help="run both here, for debuggers; what dies ends it all")
    parser.add_argument("--only", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        torch.save(run_one(options.only, options.scale), options.out)
        return 0
    print_versions()
    x_shape, w_shape = sizes(options.scale)
    print("x %s  w %s  stride %s  padding %s  dilation %s  groups %d  %s" % (x_shape, w_shape, STRIDE, PADDING, DILATION, GROUPS, DTYPE))
    with tempfile.TemporaryDirectory() as folder:
        results = {}
        for way in WAYS:
            if options.in_process:
                gradients, failure = run_one(way, options.scale), None
            else:
                gradients, failure = outcome(way, options.scale, folder)
            if failure:
                print("%-24s %s" % (way, failure))
            else:
                print("%-24s ran" % way)
                results[way] = gradients
        good = "composite" in results
        if len(results) == 2:
            good = compare("composite against native", results["composite"], results["native"]) and good
        if options.reference:
            wanted = reference(options.scale)
            for way, gradients in results.items():
                good = compare(way + " against float64", gradients, wanted) and good
    print("native runs" if "native" in results else "native FAILS")
    return 0 if good and "native" in results else 1


if __name__ == "__main__":
    sys.exit(main())
`;
