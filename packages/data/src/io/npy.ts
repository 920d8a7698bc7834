import { npyTensor } from '@voxgrad/checkpoint/arrays';
import { type CreateOptions, checkOptions, getDevice, type Tensor } from '@voxgrad/core';
import { named } from './elements.js';
import { type DataSource, readContent, wrongFormat } from './source.js';

const MAGIC = '\x93NUMPY';

/**
 * An array that `numpy.save` wrote, in its shape. A Fortran-ordered one comes as a strided view
 * (`contiguous()` copies it); uint16 as int32, uint32 and uint64 as int64. Gzip is inflated first.
 * @throws VoxgradError with code 'FORMAT', 'CORRUPT', 'UNSUPPORTED' or 'LIMIT'
 */
export async function readNpy(
  source: DataSource,
  options: { device?: CreateOptions['device'] } = {},
): Promise<Tensor> {
  checkOptions('readNpy', options, ['device']);
  const content = await readContent(source);
  if (String.fromCharCode(...content.bytes.subarray(0, MAGIC.length)) !== MAGIC)
    throw wrongFormat(content, '.npy file');
  return named(content.name, () => npyTensor(content.bytes, getDevice(options.device)));
}
