import { ATTACHMENTS_BYTES, ATTACHMENTS_MAX } from '../../src/contract/limits.ts';

/** A file that somebody has put beside a message. */
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

/** Adds what can be added, and says what could not. */
export async function pick(
  before: readonly PickedFile[],
  files: readonly File[],
): Promise<{ readonly files: readonly PickedFile[]; readonly trouble: Trouble | null }> {
  const picked = [...before];
  let trouble: Trouble | null = null;
  for (const file of files) {
    const bytes = picked.reduce((sum, each) => sum + each.bytes, file.size);
    if (picked.length >= ATTACHMENTS_MAX) trouble = { is: 'many' };
    else if (bytes > ATTACHMENTS_BYTES) trouble = { is: 'large' };
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

async function read(file: File): Promise<PickedFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return {
    id: crypto.randomUUID(),
    name: file.name.slice(-255) || 'file',
    mediaType: mediaTypeOf(file.type),
    bytes: bytes.byteLength,
    data: base64(bytes),
  };
}

/** Without parameters; what is no media type is any file. */
const mediaTypeOf = (type: string): string => {
  const plain = type.split(';', 1)[0]?.trim() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(plain) && plain.length <= 100
    ? plain
    : 'application/octet-stream';
};

/** In pieces whose length is a multiple of three, so that they can be joined. */
const PIECE = 3 * 8192;
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}
