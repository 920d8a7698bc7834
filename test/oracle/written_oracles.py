"""What PyTorch 1.13 lacks or gets wrong, written from its definition."""
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """softmax(q·kᵀ·scale + mask)·v, as torch 2 documents it; a boolean mask keeps where it is true."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return F.dropout(scores.softmax(-1), dropout_p) @ value


def reduced(loss, reduction):
    return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[reduction]()


def one_hot(target, like):
    return F.one_hot(target, like.shape[1]).movedim(-1, 1).to(like.dtype)


def dice_loss(input, target, sigmoid=False, softmax=False, include_background=True, squared_pred=False, jaccard=False,
              batch=False, reduction="mean", smooth_nr=1e-5, smooth_dr=1e-5):
    """1 − (2·Σp·t + nr) / (Σp + Σt + dr) per sample and channel (MONAI's DiceLoss)."""
    if not target.is_floating_point():
        target = one_hot(target, input)
    p = input.sigmoid() if sigmoid else input.softmax(1) if softmax else input
    if not include_background:
        p, target = p[:, 1:], target[:, 1:]
    axes = ([0] if batch else []) + list(range(2, p.dim()))
    power = 2 if squared_pred else 1
    both = (p * target).sum(axes)
    total = (p ** power).sum(axes) + (target ** power).sum(axes)
    if jaccard:
        total = 2 * (total - both)
    return reduced(1 - (2 * both + smooth_nr) / (total + smooth_dr), reduction)


def focal_loss(input, target, gamma=2.0, alpha=None, softmax=False, reduction="mean"):
    """(1 − p_t)^γ times the cross entropy (Lin et al. 2017, equation 5)."""
    if softmax:
        t = target if target.is_floating_point() else one_hot(target, input)
        log_p = input.log_softmax(1)
        loss = -t * (1 - log_p.exp()) ** gamma * log_p
        if alpha is not None:
            shape = [1, -1] + [1] * (input.dim() - 2)
            loss = loss * (alpha.reshape(shape) if isinstance(alpha, torch.Tensor) else alpha)
        return reduced(loss.sum(1), reduction)
    p = input.sigmoid()
    loss = F.binary_cross_entropy_with_logits(input, target, reduction="none")
    loss = loss * (1 - (p * target + (1 - p) * (1 - target))) ** gamma
    if alpha is not None:
        loss = loss * (alpha * target + (1 - alpha) * (1 - target))
    return reduced(loss, reduction)


def hardsigmoid(x):
    """relu6(x + 3) / 6. PyTorch's gradient in float64 multiplies by a sixth of single precision."""
    value = F.hardsigmoid(x.detach())
    return value + torch.where((x > -3) & (x < 3), (x - x.detach()) / 6, 0.0)


class Digamma(torch.autograd.Function):
    """ψ with ψ′(x) = ζ(2, x). PyTorch cuts ψ′ off after a few terms, and errs by 1e-10."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.digamma()

    @staticmethod
    def backward(context, gradient):
        x, = context.saved_tensors
        zeta = torch.special.zeta(torch.tensor(2.0, dtype=x.dtype), x)
        return gradient * torch.where(x == math.inf, torch.zeros_like(x), zeta)


def interpolate_nearest(x, **options):
    """PyTorch's choice of neighbours, read through an index: so the gradient is that of the values."""
    numbers = torch.arange(x[0, 0].numel(), dtype=torch.float64).reshape(1, 1, *x.shape[2:])
    # One channel alone would take another code path of PyTorch, which forgets the scale factor.
    index = F.interpolate(numbers.repeat(1, 2, 1, 1, 1), **options)[0, 0].long()
    return x.flatten(2)[:, :, index]


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """−log of the summed probability of all alignments (Graves et al. 2006). PyTorch's gradient holds only after a
    log_softmax, whose own gradient removes the difference."""
    losses = []
    for n, (steps, length) in enumerate(zip(input_lengths.tolist(), target_lengths.tolist())):
        labels = [blank]
        for label in targets[n, :length].tolist():
            labels += [label, blank]
        impossible = log_probs.new_tensor(-math.inf)
        alpha = [log_probs[0, n, labels[s]] if s < 2 else impossible for s in range(len(labels))]
        for t in range(1, steps):
            alpha = [log_probs[t, n, labels[s]] + from_paths(alpha, labels, s, blank) for s in range(len(labels))]
        losses.append(-added(alpha[-2:]))
    loss = torch.stack(losses)
    if zero_infinity:
        loss = torch.where(loss == math.inf, torch.zeros_like(loss), loss)
    if reduction == "mean":
        return (loss / target_lengths.clamp(min=1)).mean()
    return reduced(loss, reduction)


def from_paths(alpha, labels, s, blank):
    """The paths into position s: staying, the position before, and a skip of the blank between different labels."""
    skips = s > 1 and labels[s] != blank and labels[s] != labels[s - 2]
    return added(alpha[max(0, s - 2 if skips else s - 1):s + 1])


def added(logs):
    """logsumexp of the finite ones, so that −infinity brings no NaN into the gradient."""
    finite = [value for value in logs if value > -math.inf]
    return torch.logsumexp(torch.stack(finite), 0) if finite else logs[0]
