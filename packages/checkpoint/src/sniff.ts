// Which kind of file this is, told by its content: public models carry every suffix on everything.

import { CheckpointError } from './error.js';
import type { Format } from './format.js';
import type { Source } from './source.js';

/** Enough for every signature below. */
const HEAD_BYTES = 512;

interface Signature {
  readonly at: number;
  readonly bytes: string;
  readonly is: string;
  readonly advice: string;
}

const UNPACK = 'Unpack it and load the file inside';
const DOWNLOAD = 'The download went wrong: open the address in a browser and fetch the file itself';

/**
 * Files that are often mistaken for checkpoints. `bytes` are compared without regard to ASCII case
 * at offset `at`; longer signatures stand before shorter ones with the same beginning.
 */
const OTHERS: readonly Signature[] = [
  {
    at: 0,
    bytes: '\x89HDF\r\n\x1a\n',
    is: 'an HDF5 file (Keras or similar)',
    advice: 'Read it with h5py in Python and save the tensors as safetensors',
  },
  {
    at: 0,
    bytes: 'version https://git-lfs',
    is: 'a Git LFS pointer, not the file it points to',
    advice: 'Run "git lfs pull", or download the file itself',
  },
  { at: 0, bytes: 'GGUF', is: 'a GGUF file', advice: 'Look for the same model as safetensors' },
  {
    at: 4,
    bytes: 'TFL3',
    is: 'a TensorFlow Lite model',
    advice: 'Look for the same model as .pt or safetensors',
  },
  { at: 0, bytes: '\x1f\x8b', is: 'a gzip archive', advice: UNPACK },
  { at: 0, bytes: 'BZh', is: 'a bzip2 archive', advice: UNPACK },
  { at: 0, bytes: '\xfd7zXZ\0', is: 'an xz archive', advice: UNPACK },
  { at: 0, bytes: '7z\xbc\xaf\x27\x1c', is: 'a 7z archive', advice: UNPACK },
  { at: 0, bytes: 'Rar!', is: 'a rar archive', advice: UNPACK },
  { at: 0, bytes: '\x28\xb5\x2f\xfd', is: 'a zstandard archive', advice: UNPACK },
  {
    at: 344,
    bytes: 'n+1\0',
    is: 'a NIfTI image',
    advice: 'That is an input of a network, not its weights',
  },
  { at: 0, bytes: '<!doctype', is: 'a web page', advice: DOWNLOAD },
  { at: 0, bytes: '<html', is: 'a web page', advice: DOWNLOAD },
  { at: 0, bytes: '<?xml', is: "an XML text, often a server's error message", advice: DOWNLOAD },
  { at: 0, bytes: '%PDF', is: 'a PDF', advice: DOWNLOAD },
  { at: 0, bytes: '{', is: 'a JSON text', advice: 'Load the weights file that belongs to it' },
];

/** torch.serialization's magic number, 0x1950a86a20f9469cfc6c, pickled as LONG1 under protocol 2. */
const LEGACY_MAGIC = '\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.';

/** The same under protocols 0 and 1. */
const LEGACY_MAGIC_AS_TEXT = 'L119547037146038801333356L\n.';

/** A bare pickle that begins like this much of it is searched for what torch.save writes. */
const PICKLE_BYTES = 2 ** 20;

/** The error of a pickle that does not stand in a file of torch.save. */
async function barePickle(source: Source): Promise<CheckpointError> {
  const head = await source.read(0, Math.min(source.size, PICKLE_BYTES));
  const text = new TextDecoder('latin1').decode(head);
  // Its tensors name their storages: ('storage', torch.FloatStorage, '0', …).
  if (/_rebuild_tensor/.test(text) && text.includes('storage'))
    return new CheckpointError(
      'FORMAT',
      'is only the description (data.pkl) of a .pt file: the records with its numbers (data/0, …) ' +
        'are missing. Load the .pt file that it was unpacked from, or pack the whole folder into a ' +
        'zip archive again',
    );
  return new CheckpointError(
    'FORMAT',
    'is a Python pickle that torch.save did not write. Save it in Python: ' +
      'torch.save(pickle.load(file), path)',
  );
}

/** Names the kind of `source`, or refuses it with what it is instead and what to do. */
export async function sniff(source: Source): Promise<Format> {
  if (source.size === 0) throw new CheckpointError('FORMAT', `the file is empty. ${DOWNLOAD}`);
  const head = await source.read(0, Math.min(source.size, HEAD_BYTES));
  const text = latin1(head);
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06'))
    return firstEntry(head).endsWith('.npy') || isEmptyZip(head, source.size) ? 'npz' : 'torch-zip';
  if (text.startsWith('\x93NUMPY')) return 'npy';
  if (looksLikeSafetensors(head)) return 'safetensors';
  if (text.startsWith(LEGACY_MAGIC)) return 'torch-legacy';
  // Pickle protocols 3 to 5 frame or widen the magic; torch.save can be told to use them.
  if (head[0] === 0x80 && head[1] >= 2 && head[1] <= 5) {
    if (text.slice(0, 32).includes(LEGACY_MAGIC.slice(2, 14))) return 'torch-legacy';
    throw await barePickle(source);
  }
  if (text.startsWith(LEGACY_MAGIC_AS_TEXT))
    throw new CheckpointError(
      'UNSUPPORTED',
      'was saved with pickle protocol 0 or 1, which is not read. Save it again in Python with ' +
        'torch.save(torch.load(path), other), whose pickle_protocol is 2',
    );
  if (text.startsWith('ustar', 257)) return 'torch-tar';
  if (/^\s*\{/.test(text) && TFJS.test(text)) return 'tfjs-layers';
  const trimmed = text.replace(/^(\xef\xbb\xbf)?\s*/, '').toLowerCase();
  for (const { at, bytes, is, advice } of OTHERS) {
    const wanted = bytes.toLowerCase();
    if (text.toLowerCase().startsWith(wanted, at) || (at === 0 && trimmed.startsWith(wanted)))
      throw new CheckpointError('FORMAT', `is ${is}, not a checkpoint. ${advice}`);
  }
  const start = [...head.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0'));
  throw new CheckpointError(
    'FORMAT',
    `is not a .pt or safetensors file (it starts with bytes ${start.join(' ')})`,
  );
}

/**
 * A 64-bit header length, and then a JSON object. A length above 4 GiB is a lie that the reader
 * names, but only if the eight bytes are not JSON themselves.
 */
const looksLikeSafetensors = (head: Uint8Array): boolean =>
  /^\{["}\s]/.test(latin1(head.subarray(8, 10))) &&
  (head.subarray(4, 8).every((byte) => byte === 0) || head[0] !== 0x7b);

/** An archive without entries: `numpy.savez` of nothing. torch.save always writes some. */
const isEmptyZip = (head: Uint8Array, size: number): boolean =>
  head[2] === 5 && size >= 22 && (head[10] | head[11]) === 0;

/** The name in the first local header of a zip archive. */
function firstEntry(head: Uint8Array): string {
  const length = (head[26] ?? 0) | ((head[27] ?? 0) << 8);
  return latin1(head.subarray(30, 30 + length));
}

/** Keys that the model.json of TensorFlow.js begins with, whichever converter wrote it. */
const TFJS = /"(modelTopology|weightsManifest)"\s*:|"format"\s*:\s*"(layers|graph)-model"/;

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
