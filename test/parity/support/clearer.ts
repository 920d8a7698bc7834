// Where we say it more clearly than PyTorch 1.13: its text, ours, and why.

export interface Clearer {
  readonly torch: string;
  readonly ours: string;
  readonly why: string;
}

export const CLEARER: readonly Clearer[] = [
  {
    torch: 'size mismatch, got 2, 2x3,4',
    ours: 'mat1 and mat2 shapes cannot be multiplied (2x3 and 4x1)',
    why: 'names both shapes',
  },
  {
    torch: 'size mismatch, got 2, 2x3,2',
    ours: 'mat1 and mat2 shapes cannot be multiplied (2x3 and 2x1)',
    why: 'names both shapes',
  },
  {
    torch: 'batch1 must be a 3D tensor',
    ours: 'bmm: expected two 3D tensors, but got [3, 4] and [4, 2]',
    why: 'says what it got',
  },
  {
    torch:
      'permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2',
    ours: 'permute([0, 1]): expected each of the 3 dims once for a tensor of shape [2, 3, 4]',
    why: 'the tensor is not sparse',
  },
  {
    torch: 'permute(): duplicate dims are not allowed.',
    ours: 'permute([0, 0]): expected each of the 2 dims once for a tensor of shape [2, 3]',
    why: 'says what it got',
  },
  {
    torch:
      'mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long',
    ours: 'mean(): could not infer output dtype. Input dtype must be a floating point dtype. Got: Long',
    why: 'there are no complex dtypes',
  },
  {
    torch:
      'expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)',
    ours: 'expand([3]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)',
    why: 'the first part is not readable',
  },
  {
    torch: 'Dimension out of range (expected to be in range of [-1, 0], but got -2)',
    ours: 'tril: input tensor must have at least 2 dimensions',
    why: 'the user gave no dimension -2',
  },
  {
    torch: 'index out of range in self',
    ours: 'is out of bounds for dimension',
    why: 'names the index and the size',
  },
  {
    torch: 'masked_select: expected BoolTensor or ByteTensor for mask',
    ours: 'masked_select: expected BoolTensor for mask, but got LongTensor',
    why: 'masks of bytes are deprecated in PyTorch',
  },
  {
    torch: 'einsum(): more operands were provided than specified in the equation',
    ours: 'einsum(): the equation has 1 operands, but 2 were given',
    why: 'says both counts',
  },
  {
    torch:
      'Expected a batch of 3D affine matrices of shape Nx3x4 for size (2, 1, 3, 4, 2). Got torch.Size([2, 3, 3]).',
    ours: 'Expected a batch of 3D affine matrices of shape Nx3x4 for size (2, 1, 3, 4, 2). Got [2, 3, 3].',
    why: 'there is no torch.Size',
  },
  {
    torch: 'Expected input batch_size (3) to match target batch_size (2).',
    ours: 'Expected target size [3], got [2]',
    why: 'the words PyTorch has for spatial targets, which say the size expected',
  },
  {
    torch: 'expected scalar type Long but found Float',
    ours: "expected scalar type Long but found float32 as the target of a classification loss; convert with .to('int64')",
    why: 'says what to do',
  },
];
