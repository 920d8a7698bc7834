import {
  argumentError,
  cat,
  noGrad,
  requireTensorList,
  requireTensors,
  type Tensor,
} from '@voxgrad/core';

/** All elements of `parameters` in one vector, on the tape. */
export function parametersToVector(parameters: readonly Tensor[]): Tensor {
  requireTensorList('parametersToVector', 'parameters', parameters);
  return cat(parameters.map((parameter) => parameter.reshape(-1)));
}

/** Writes the elements of `vector` into `parameters`, in order. */
export function vectorToParameters(vector: Tensor, parameters: readonly Tensor[]): void {
  requireTensors('vectorToParameters', { vector });
  requireTensorList('vectorToParameters', 'parameters', parameters);
  const size = parameters.reduce((n, { numel }) => n + numel, 0);
  if (vector.ndim !== 1 || vector.numel < size)
    throw argumentError(
      `vectorToParameters(): expected a vector of ${size} elements, but got shape [${vector.shape.join(', ')}]`,
    );
  noGrad(() => {
    let at = 0;
    for (const parameter of parameters) {
      parameter.copy_(vector.narrow(0, at, parameter.numel).reshape(parameter.shape));
      at += parameter.numel;
    }
  });
}
