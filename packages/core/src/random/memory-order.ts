// The order in which PyTorch's random kernels visit a tensor: that of its memory, not of its indices.

/**
 * The dims from the outermost to the innermost of memory. A dim of stride 0 says nothing about its
 * place and keeps it (reorder_dimensions in ATen/TensorIterator.cpp, whose insertion sort this is).
 */
export function memoryOrder(shape: readonly number[], strides: readonly number[]): number[] {
  const dims = shape.map((_, dim) => dim);
  for (let i = dims.length - 2; i >= 0; i--) {
    let moving = i;
    for (let other = i + 1; other < dims.length; other++) {
      const order = compare(shape, strides, dims[other], dims[moving]);
      if (order < 0) break;
      if (order === 0) continue;
      [dims[moving], dims[other]] = [dims[other], dims[moving]];
      moving = other;
    }
  }
  return dims;
}

/** Positive where `inner` belongs outside `outer`, 0 where nothing says so. */
function compare(
  shape: readonly number[],
  strides: readonly number[],
  inner: number,
  outer: number,
): number {
  if (strides[inner] === 0 || strides[outer] === 0) return 0;
  if (strides[inner] !== strides[outer]) return strides[inner] - strides[outer];
  return Math.max(0, shape[inner] - shape[outer]);
}

/** Strides without gaps for `shape` whose memory has the order of `strides`. */
export function denseStrides(shape: readonly number[], strides: readonly number[]): number[] {
  const dense = shape.map(() => 1);
  let step = 1;
  for (const dim of memoryOrder(shape, strides).reverse()) {
    dense[dim] = step;
    step *= Math.max(shape[dim], 1);
  }
  return dense;
}
