import { ATTACHMENTS_BYTES, ATTACHMENTS_MAX } from '../../../src/contract/limits.ts';
import { newKey } from '../../parts/new-key.ts';

/** A file attached to a message. */
export interface PickedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Base64. */
  readonly data: string;
}

export type Trouble =
  | { readonly is: 'many' }
  | { readonly is: 'large' }
  | { readonly is: 'unreadable'; readonly name: string };

export interface Added {
  readonly files: readonly PickedFile[];
  /** Why some files were not added. */
  readonly trouble: Trouble | null;
}

/** Reads the files that fit into a message, and reports the others. */
export async function pick(files: readonly File[]): Promise<Added> {
  const picked: PickedFile[] = [];
  let trouble: Trouble | null = null;
  for (const file of files) {
    const full = noRoom(picked, file.size);
    if (full !== null) trouble = full;
    else {
      try {
        picked.push(await read(file));
      } catch {
        trouble = { is: 'unreadable', name: file.name };
      }
    }
  }
  return { files: picked, trouble };
}

/** Adds as many files as fit. */
export function joined(before: readonly PickedFile[], more: readonly PickedFile[]): Added {
  const files = [...before];
  let trouble: Trouble | null = null;
  for (const file of more) {
    const full = noRoom(files, file.bytes);
    if (full === null) files.push(file);
    else trouble = full;
  }
  return { files, trouble };
}

function noRoom(files: readonly PickedFile[], bytes: number): Trouble | null {
  if (files.length >= ATTACHMENTS_MAX) return { is: 'many' };
  const all = files.reduce((sum, each) => sum + each.bytes, bytes);
  return all > ATTACHMENTS_BYTES ? { is: 'large' } : null;
}

async function read(file: File): Promise<PickedFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return {
    id: newKey(),
    name: file.name.slice(-255) || 'file',
    mediaType: mediaTypeOf(file.type),
    bytes: bytes.byteLength,
    data: base64(bytes),
  };
}

/** The media type without its parameters; anything invalid becomes `application/octet-stream`. */
const mediaTypeOf = (type: string): string => {
  const plain = type.split(';', 1)[0]?.trim() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(plain) && plain.length <= 100
    ? plain
    : 'application/octet-stream';
};

/**
 * Bytes are encoded in pieces whose length is a multiple of three, so that the results can be
 * joined.
 */
const PIECE = 3 * 8192;
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}
