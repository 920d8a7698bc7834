// Saving where the user says. With the File System Access API a file is replaced at the end and at
// once, by the engine; elsewhere it is a download. The file before is never half overwritten.

import type { Remote } from 'comlink';
import type { Engine } from '../engine/engine.js';

interface PickerWindow {
  showSaveFilePicker?(options: object): Promise<FileSystemFileHandle>;
}

/** What was saved, to be read; null where the user did not want to. */
export async function saveCheckpoint(
  engine: Remote<Engine>,
  suggestedName: string,
): Promise<string | null> {
  const pick = (window as PickerWindow).showSaveFilePicker;
  if (!pick) return download(await engine.checkpoint(), suggestedName);
  let handle: FileSystemFileHandle;
  try {
    handle = await pick.call(window, {
      suggestedName,
      types: [
        { description: 'PyTorch checkpoint', accept: { 'application/octet-stream': ['.pt'] } },
      ],
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
  try {
    const bytes = await engine.saveTo(handle);
    return `Saved ${handle.name} (${kilobytes(bytes)}).`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${handle.name} could not be written (${reason}). What it held before is untouched; save under another name.`,
    );
  }
}

function download(bytes: Uint8Array, name: string): string {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return `${name} (${kilobytes(bytes.length)}) went to your downloads.`;
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
