"""Convolution from its definition: one sum over selection tensors, differentiable any number of times.

It shares no code with PyTorch's convolutions, so it tells whether PyTorch's own answer is right,
and gives the answer where PyTorch refuses.
"""
import torch


def per_axis(value, axes):
    """One value per axis; a list of one counts for every axis."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * axes if len(values) == 1 else values


def padding_of(padding, kernel, dilation):
    """(left, right) of one axis; an odd total under 'same' puts the extra on the right."""
    if padding == "valid":
        return 0, 0
    if padding == "same":
        total = dilation * (kernel - 1)
        return total // 2, total - total // 2
    return padding, padding


def source_index(position, size, mode):
    """The input index that a position in the padded axis reads, or None where it reads a zero."""
    if 0 <= position < size:
        return position
    if mode == "replicate":
        return min(max(position, 0), size - 1)
    if mode == "circular":
        return position % size
    if mode == "reflect":
        return -position if position < 0 else 2 * (size - 1) - position
    return None


def convolution_axis(size, kernel, stride, padding, dilation, mode):
    """selection[i, k, o] = 1 where output o reads input i through kernel element k."""
    left, right = padding_of(padding, kernel, dilation)
    outputs = (size + left + right - dilation * (kernel - 1) - 1) // stride + 1
    selection = torch.zeros(size, kernel, outputs, dtype=torch.float64)
    for k in range(kernel):
        for o in range(outputs):
            i = source_index(o * stride + k * dilation - left, size, mode)
            if i is not None:
                selection[i, k, o] = 1
    return selection


def transposed_axis(size, kernel, stride, padding, dilation, output_padding):
    """selection[i, k, o] = 1 where input i writes output o through kernel element k."""
    outputs = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1
    selection = torch.zeros(size, kernel, outputs, dtype=torch.float64)
    for i in range(size):
        for k in range(kernel):
            o = i * stride + k * dilation - padding
            if 0 <= o < outputs:
                selection[i, k, o] = 1
    return selection


def plain_convolution(op, input, weight, bias, options):
    axes = weight.dim() - 2
    kernel = weight.shape[2:]
    transposed = "Transpose" in op
    groups = options.get("groups", 1)
    batched = input.dim() == axes + 2
    x = input if batched else input.unsqueeze(0)
    settings = [per_axis(options.get(name, default), axes)
                for name, default in (("stride", 1), ("padding", 0), ("dilation", 1), ("outputPadding", 0))]
    selections = []
    for axis, (stride, padding, dilation, extra) in enumerate(zip(*settings)):
        arguments = (x.shape[2 + axis], kernel[axis], stride, padding, dilation)
        selections.append(transposed_axis(*arguments, extra) if transposed
                          else convolution_axis(*arguments, options.get("paddingMode", "zeros")))

    # Sizes spelled out: PyTorch cannot infer a -1 in an empty batch.
    x = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    w = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    ins, kernels, outs = "xyz"[:axes], "ijk"[:axes], "uvw"[:axes]
    channels = "cf" if transposed else "fc"
    terms = [f"ngc{ins}", f"g{channels}{kernels}"] + [a + b + c for a, b, c in zip(ins, kernels, outs)]
    y = torch.einsum(",".join(terms) + f"->ngf{outs}", x, w, *selections).flatten(1, 2)
    if bias is not None:
        y = y + bias.reshape(-1, *[1] * axes)
    return y if batched else y.squeeze(0)
