// torch.save before PyTorch 0.2: a tar archive of `sys_info`, `storages` (for each a pickle of key,
// location and class, then its number of elements and its raw bytes; then a pickle of the views of
// storages), `tensors` (for each a pickle of key, storage and class, then its geometry) and `pickle`,
// the object, whose persistent ids are the keys of tensors and storages (`legacy_load` within
// `_legacy_load` in torch/serialization.py).

import { CheckpointError } from '../error.js';
import type { Checkpoint } from '../format.js';
import type { Source } from '../source.js';
import { MAX_DIMS } from '../value.js';
import { ByteReader } from './bytes.js';
import { torchCheckpoint } from './checkpoint.js';
import type { StorageFile } from './storages.js';
import { moduleClass, tensorOver } from './tensors.js';
import {
  type CallContext,
  PyTuple,
  type PyValue,
  StorageClass,
  StorageRef,
  type TensorRef,
  type Unsupported,
} from './values.js';
import { PickleStream } from './windows.js';

const BLOCK = 512;

/** An archive of torch.save has four members; those of Python's own tarfile may add a header each. */
const MAX_MEMBERS = 64;

interface Member {
  readonly begin: number;
  readonly end: number;
}

/** Opens a tar archive of torch.save. */
export async function openTorchTar(source: Source): Promise<Checkpoint> {
  const members = await readMembers(source);
  const file = new TarFile();
  await readStorages(stream(source, members, 'storages'), file);
  await readTensors(stream(source, members, 'tensors'), file);
  const object = await stream(source, members, 'pickle').next(() => ({
    persistentLoad: (id, context) => file.find(id, context),
  }));
  return torchCheckpoint('torch-tar', object, file.storageFile(source));
}

async function readMembers(source: Source): Promise<Map<string, Member>> {
  const members = new Map<string, Member>();
  for (let at = 0; at + BLOCK <= source.size && members.size < MAX_MEMBERS; ) {
    const header = await source.read(at, BLOCK);
    if (header.every((byte) => byte === 0)) break; // the end
    const name = text(header.subarray(0, 100));
    checkSum(header, at);
    const size = sizeOf(header, at);
    const begin = at + BLOCK;
    if (begin + size > source.size)
      throw corrupt(
        `member ${JSON.stringify(name)} has ${size} bytes, but the file ends at byte ` +
          `${source.size}; the download or copy may be incomplete`,
        at,
      );
    members.set(name.replace(/^\.\//, ''), { begin, end: begin + size });
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
  return members;
}

/** The sum of all bytes of a header, with blanks where it stands itself, in octal digits. */
function checkSum(header: Uint8Array, at: number): void {
  const [begin, end] = [148, 156];
  const sum = header.reduce((all, byte, i) => all + (i < begin || i >= end ? byte : 0x20), 0);
  if (Number.parseInt(text(header.subarray(begin, end)).trim(), 8) !== sum)
    throw corrupt('the header of a tar member is damaged: its checksum does not match', at);
}

/** The size of a member: octal digits, or from 8 GiB on a number behind a byte 0x80. */
function sizeOf(header: Uint8Array, at: number): number {
  const field = header.subarray(124, 136);
  const size =
    field[0] === 0x80
      ? field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
      : Number.parseInt(text(field).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw corrupt('a tar member without a size', at);
  return size;
}

const text = (field: Uint8Array): string =>
  String.fromCharCode(...field.subarray(0, [...field, 0].indexOf(0)));

function stream(source: Source, members: ReadonlyMap<string, Member>, name: string): PickleStream {
  const member = members.get(name);
  if (member !== undefined) return new PickleStream(source, member.begin, member.end);
  const listed = [...members.keys()].slice(0, 5).join(', ');
  throw new CheckpointError(
    'FORMAT',
    `is a tar archive, but not one of torch.save: it has no member ${JSON.stringify(name)}, but ` +
      `${listed || 'nothing'}. If it packs a checkpoint, unpack it and load the file inside`,
  );
}

/** Storages and tensors by the numbers under which the file knows them. */
class TarFile {
  readonly #known = new Map<string, StorageRef | TensorRef | Unsupported>();
  readonly #begins = new Map<string, number>();

  addStorage(key: string, ref: StorageRef, begin: number): void {
    this.#known.set(key, ref);
    this.#begins.set(key, begin);
  }

  add(key: string, ref: StorageRef | TensorRef | Unsupported): void {
    this.#known.set(key, ref);
  }

  storage(key: string): StorageRef | undefined {
    const found = this.#known.get(key);
    return found instanceof StorageRef ? found : undefined;
  }

  find(id: PyValue, context: CallContext): PyValue {
    const type = moduleClass(id);
    if (type !== undefined) return type;
    const found = this.#known.get(String(id));
    if (found === undefined) throw context.error(`refers to ${String(id)}, which is no tensor`);
    return found;
  }

  storageFile(source: Source): StorageFile {
    const beginOf = (key: string) => this.#begins.get(key) ?? 0;
    return {
      source,
      bigEndian: false,
      placeOf: (key) => ({ entry: 'storages', begin: beginOf(key) }),
      read: (key) => {
        const ref = this.storage(key);
        return source.read(beginOf(key), ref === undefined ? 0 : ref.length * ref.type.unit);
      },
      readPart: (key, begin, end) => source.read(beginOf(key) + begin, end - begin),
    };
  }
}

async function readStorages(input: PickleStream, file: TarFile): Promise<void> {
  const count = countOf(await input.next(), input);
  for (let i = 0; i < count; i++) {
    const at = input.offset;
    const [key, , type] = itemsOf(await input.next());
    if (!isKey(key) || !(type instanceof StorageClass))
      throw corrupt('a storage without a key or class', at);
    const header = new ByteReader(await input.bytes(8), undefined, 0, input.offset);
    const length = header.u64();
    const begin = input.offset + 8;
    if (begin + length * type.unit > input.end)
      throw corrupt(`a storage of ${length} elements reaches past the end of its member`, at);
    file.addStorage(String(key), new StorageRef(String(key), type, length), begin);
    input.offset = begin + length * type.unit;
  }
  const at = input.offset;
  for (const view of listOf(await input.next(), at)) {
    const [key, root, offset, length] = itemsOf(view);
    const whole = file.storage(String(root));
    if (!isKey(key) || whole === undefined || !isCount(offset) || !isCount(length))
      throw corrupt('a view of a storage that is none', at);
    if (offset + length > whole.length) throw corrupt('a storage view leaves its storage', at);
    const { key: rootKey, type } = whole;
    file.add(String(key), new StorageRef(rootKey, type, whole.length, { offset, length }));
  }
}

/** For each tensor its dimensions (4 bytes, and 4 without meaning), sizes, strides and offset. */
async function readTensors(input: PickleStream, file: TarFile): Promise<void> {
  const count = countOf(await input.next(), input);
  for (let i = 0; i < count; i++) {
    const at = input.offset;
    const [key, storageKey] = itemsOf(await input.next());
    const storage = file.storage(String(storageKey));
    if (!isKey(key) || storage === undefined) throw corrupt('a tensor without a storage', at);
    const dims = new ByteReader(await input.bytes(8), undefined, 0, input.offset).u32();
    if (dims > MAX_DIMS) throw corrupt(`a tensor of ${dims} dims`, at);
    const length = 8 + 16 * dims + 8;
    const fields = new ByteReader(await input.bytes(length), undefined, 8, input.offset);
    const sizes = Array.from({ length: dims }, () => fields.u64());
    const strides = Array.from({ length: dims }, () => fields.u64());
    const args = [storage, fields.u64(), new PyTuple(sizes), new PyTuple(strides)];
    file.add(String(key), tensorOver(args, undefined, contextAt(at)));
    input.offset += length;
  }
}

/** For the checks of a tensor that stands outside of a pickle. */
const contextAt = (offset: number): CallContext => ({
  where: { offset },
  error: (message) => corrupt(message, offset),
  spend() {},
});

const isKey = (value: PyValue | undefined): value is number | bigint | string =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string';

const isCount = (value: PyValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const itemsOf = (value: PyValue): readonly PyValue[] =>
  value instanceof PyTuple ? value.items : Array.isArray(value) ? value : [];

function listOf(value: PyValue, at: number): readonly PyValue[] {
  if (Array.isArray(value)) return value;
  throw corrupt('does not list the views of its storages', at);
}

function countOf(value: PyValue, { offset }: PickleStream): number {
  if (isCount(value)) return value;
  throw corrupt('does not say how many storages or tensors it has', offset);
}

const corrupt = (message: string, offset: number) =>
  new CheckpointError('CORRUPT', message, { offset });
