// How tensors stand in a pickle: a persistent id for the storage, and a call that lays a shape,
// strides and an offset over it (torch/_utils.py). Geometry is checked here, against the storage's
// announced length; that the storage has that length is checked when it is read.

import { bytesPer, type FileDType } from '../elements.js';
import { MAX_DIMS } from '../value.js';
import { CONVERSIONS } from './dtypes.js';
import { NumpyArray } from './numpy.js';
import {
  type CallContext,
  DTypeName,
  InertObject,
  PyDict,
  PyGlobal,
  PyTuple,
  type PyValue,
  StorageClass,
  StorageRef,
  TensorRef,
  Unsupported,
} from './values.js';

/** Arguments of a rebuild function, as a tensor over whatever storage came first. */
type Args = readonly (PyValue | undefined)[];

/** What a storage costs more than other values. */
const STORAGE_WORK = 2;

/**
 * `('storage', torch.FloatStorage, key, location, numel[, view])`. A view, in legacy files only, is
 * `(key, offset, size)` in elements, or None.
 */
export function storageOf(id: PyValue, context: CallContext): StorageRef {
  const [tag, type, key, , count, view] = id instanceof PyTuple ? id.items : [];
  context.spend(STORAGE_WORK);
  if (tag !== 'storage' || !(type instanceof StorageClass) || typeof key !== 'string')
    throw context.error('a persistent id that is not a storage');
  const length = size(count, 'the number of elements of a storage', context);
  if (!(view instanceof PyTuple)) return new StorageRef(key, type, length);
  const offset = size(view.items[1], 'the offset of a storage view', context);
  const window = { offset, length: size(view.items[2], 'the size of a storage view', context) };
  if (offset + window.length > length) throw context.error('a storage view leaves its storage');
  return new StorageRef(key, type, length, window);
}

/** Legacy files name the class of a module with its source: `('module', class, file, source)`. */
export function moduleClass(id: PyValue): PyGlobal | undefined {
  const [tag, type] = id instanceof PyTuple ? id.items : [];
  return tag === 'module' && type instanceof PyGlobal ? type : undefined;
}

/** A tensor over `storage`, or the reason why it cannot be one. */
export function tensorOver(
  [storage, offset, shape, strides, requiresGrad]: Args,
  given: FileDType | undefined,
  context: CallContext,
): TensorRef | Unsupported {
  if (!(storage instanceof StorageRef)) throw context.error('a tensor without a storage');
  const { dtype, unsupported, name } = storage.type;
  if (unsupported !== undefined)
    return new Unsupported(
      `a ${unsupported.kind} tensor (${name})`,
      CONVERSIONS[unsupported.kind],
      {
        dtype: unsupported.dtype,
        shape: sizesOf(shape, 'shape', context),
      },
    );
  const element = given ?? dtype;
  if (element === undefined) throw context.error('a tensor of untyped bytes without a dtype');
  const sizes = sizesOf(shape, 'shape', context);
  const steps = sizesOf(strides, 'strides', context);
  if (sizes.length !== steps.length)
    throw context.error(`a tensor of ${sizes.length} dims with ${steps.length} strides`);
  const start = size(offset, 'the offset of a tensor', context);
  const fits = placeIn(storage, bytesPer(element), sizes, steps, start);
  if (typeof fits === 'string') throw context.error(fits);
  return new TensorRef(storage, element, sizes, steps, fits.offset, requiresGrad === true);
}

/** The tensor's offset in the whole storage, or what is wrong with its geometry. */
function placeIn(
  storage: StorageRef,
  bytes: number,
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): { offset: number } | string {
  const { type, window } = storage;
  // Products of safe integers can leave that range, but then they are far beyond any storage.
  if (!Number.isSafeInteger(shape.reduce((product, n) => product * n, 1)))
    return `a tensor of shape [${shape.join(', ')}] has too many elements`;
  if (shape.includes(0)) return { offset: 0 };
  const last = shape.reduce((index, n, axis) => index + (n - 1) * strides[axis], offset);
  // How many units of the storage one element takes: 1, except over plain bytes.
  const unit = bytes / type.unit;
  const available = Math.floor(window.length / unit);
  if (last >= available)
    return (
      `a tensor of shape [${shape.join(', ')}], strides [${strides.join(', ')}] and offset ` +
      `${offset} reaches element ${last} of a storage of ${available}`
    );
  const place = offset + window.offset / unit;
  return Number.isInteger(place) ? { offset: place } : 'a tensor that begins within an element';
}

/** What the sizes of a tensor cost more than other calls, besides a part of each. */
const SIZES_WORK = 1;

function sizesOf(value: PyValue | undefined, what: string, context: CallContext): number[] {
  const items = value instanceof PyTuple ? value.items : Array.isArray(value) ? value : undefined;
  if (items === undefined) throw context.error(`the ${what} of a tensor is not a tuple`);
  if (items.length > MAX_DIMS) throw context.error(`a tensor of ${items.length} dims`);
  context.spend(SIZES_WORK + (items.length >> 2));
  return items.map((item) => size(item, `the ${what} of a tensor`, context));
}

function size(value: PyValue | undefined, what: string, context: CallContext): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw context.error(`${what} is not a number of elements`);
  return value;
}

/** `_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata])`. */
function rebuildV2(args: Args, context: CallContext): PyValue {
  return withMetadata(tensorOver(args, undefined, context), args[6]);
}

/** `_rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype[, metadata])`. */
function rebuildV3(args: Args, context: CallContext): PyValue {
  const named = args[6];
  if (!(named instanceof DTypeName)) throw context.error('a tensor without a dtype');
  const { element, shortName } = named;
  if (element === undefined)
    return new Unsupported(`a tensor of dtype ${shortName}`, 'Save t.to(torch.float32) instead', {
      dtype: shortName,
      shape: sizesOf(args[2], 'shape', context),
    });
  return withMetadata(tensorOver(args, element, context), args[7]);
}

/** The flags of lazy conjugation and negation change what the stored numbers mean. */
function withMetadata(tensor: TensorRef | Unsupported, metadata: PyValue | undefined): PyValue {
  const flags = metadata instanceof PyDict ? [...metadata.entries.values()] : [];
  if (tensor instanceof Unsupported || !flags.includes(true)) return tensor;
  const { element, shape } = tensor;
  return new Unsupported('a tensor with a pending conj() or neg()', 'Save t.clone() instead of t', {
    dtype: element,
    shape,
  });
}

/** `_rebuild_parameter(data, requires_grad, hooks)`. */
function rebuildParameter([data, requiresGrad]: Args, context: CallContext): PyValue {
  if (data instanceof Unsupported || data instanceof InertObject) return data;
  if (!(data instanceof TensorRef)) throw context.error('a parameter that is not a tensor');
  const { storage, element, shape, strides, offset } = data;
  return new TensorRef(storage, element, shape, strides, offset, requiresGrad === true);
}

/**
 * `_rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad)`, of devices without
 * storages. The data is a NumPy array in files before PyTorch 2.6.
 */
function rebuildDeviceTensor([data, dtype, , requiresGrad]: Args, context: CallContext): PyValue {
  const tensor = data instanceof NumpyArray ? data.contents : data;
  const rebuilt = rebuildParameter([tensor, requiresGrad], context);
  if (!(rebuilt instanceof TensorRef && dtype instanceof DTypeName)) return rebuilt;
  if (rebuilt.element === dtype.element) return rebuilt;
  const { element, shape } = rebuilt;
  return new Unsupported(`a ${dtype.shortName} tensor kept as ${element}`, 'Save t.cpu()', {
    dtype: dtype.shortName,
    shape,
  });
}

/** `_rebuild_from_type_v2(function, type, args, state)`: of a subclass, or with attributes. */
function rebuildFromType([callee, type, args]: Args, context: CallContext): PyValue {
  // A subclass of Tensor, such as MONAI's MetaTensor, is read as the tensor that it wraps.
  if (!(type instanceof PyGlobal)) throw context.error('a tensor without a class');
  const call = callee instanceof PyGlobal ? callee.call : undefined;
  // Not itself: PyTorch never nests it, and a file could nest it without end.
  if (call === undefined || call === rebuildFromType || !(args instanceof PyTuple))
    throw context.error('a tensor without the call that makes it');
  return call(args.items, context);
}

const unsupported = (kind: string, tensor?: Unsupported['tensor']) =>
  new Unsupported(`a ${kind} tensor`, CONVERSIONS[kind], tensor);

/** `_rebuild_sparse_tensor(layout, (indices[, more indices], values, size[, flag]))`. */
function rebuildSparse([, data]: Args, context: CallContext): PyValue {
  const items = data instanceof PyTuple ? data.items : [];
  const values = items.findLast((item) => item instanceof TensorRef || item instanceof Unsupported);
  const size = items.findLast((item) => item instanceof PyTuple);
  if (values === undefined || size === undefined) return unsupported('sparse');
  const dtype = values instanceof TensorRef ? values.element : (values.tensor?.dtype ?? 'unknown');
  return unsupported('sparse', { dtype, shape: sizesOf(size, 'shape', context) });
}

/** `_rebuild_qtensor(storage, offset, size, stride, quantizer, requires_grad, hooks)`. */
function rebuildQuantized(args: Args, context: CallContext): PyValue {
  const over = tensorOver(args.slice(0, 4), undefined, context);
  const dtype = over instanceof Unsupported ? over.tensor?.dtype : over.element;
  const shape = sizesOf(args[2], 'shape', context);
  return unsupported('quantized', { dtype: dtype ?? 'unknown', shape });
}

/** `_rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad)`. */
function rebuildMeta([dtype, shape]: Args, context: CallContext): PyValue {
  if (!(dtype instanceof DTypeName)) throw context.error('a tensor without a dtype');
  return unsupported('meta', { dtype: dtype.shortName, shape: sizesOf(shape, 'shape', context) });
}

const TENSOR = new PyGlobal('torch.Tensor');
const PARAMETER = new PyGlobal('torch.nn.parameter.Parameter', rebuildParameter);

export const TENSOR_GLOBALS: readonly PyGlobal[] = [
  TENSOR,
  PARAMETER,
  new PyGlobal('torch._utils._rebuild_tensor', (args, context) =>
    tensorOver(args.slice(0, 4), undefined, context),
  ),
  new PyGlobal('torch._utils._rebuild_tensor_v2', rebuildV2),
  new PyGlobal('torch._utils._rebuild_tensor_v3', rebuildV3),
  new PyGlobal('torch._utils._rebuild_parameter', rebuildParameter),
  new PyGlobal('torch._utils._rebuild_parameter_with_state', rebuildParameter),
  // Without the state before PyTorch 1.12.
  ...['torch._tensor._rebuild_from_type_v2', 'torch._tensor._rebuild_from_type'].map(
    (name) => new PyGlobal(name, rebuildFromType),
  ),
  new PyGlobal('torch._utils._rebuild_sparse_tensor', rebuildSparse),
  new PyGlobal('torch._utils._rebuild_sparse_csr_tensor', rebuildSparse), // before PyTorch 2.0
  new PyGlobal('torch._utils._rebuild_qtensor', rebuildQuantized),
  new PyGlobal('torch._utils._rebuild_meta_tensor_no_storage', rebuildMeta),
  new PyGlobal('torch._utils._rebuild_nested_tensor', () => unsupported('nested')),
  ...['tensor_from_cpu_tensor', 'tensor_from_numpy'].map(
    (name) => new PyGlobal(`torch._utils._rebuild_device_${name}`, rebuildDeviceTensor),
  ),
  // torch_npu/utils/storage.py: as v2, but the seventh argument names a memory layout of the
  // device. The file holds the plain layout: tensors are copied to the host before they are saved.
  new PyGlobal('torch_npu.utils.storage._rebuild_npu_tensor', (args, context) =>
    tensorOver(args, undefined, context),
  ),
];
