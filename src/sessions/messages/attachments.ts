import type { AttachmentNote, AttachmentUpload } from '../../contract/attachment.ts';
import { BatonError } from '../../contract/errors.ts';
import { ATTACHMENTS_BYTES } from '../../contract/limits.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import type { SecretBox } from '../../secrets/box.ts';
import type { StoredAttachment } from '../session-store.ts';

/* Files attached to a message (A11): checked, given safe names, and encrypted for the database. */

export interface TakenAttachments {
  readonly stored: readonly StoredAttachment[];
  readonly notes: readonly AttachmentNote[];
}

export function takeAttachments(
  given: readonly AttachmentUpload[],
  sessionId: string,
  { masker, box }: { readonly masker: Masker; readonly box: SecretBox },
): TakenAttachments {
  const files = given.map(({ data, ...rest }) => ({
    ...rest,
    content: Buffer.from(data, 'base64'),
  }));
  const all = files.reduce((sum, { content }) => sum + content.length, 0);
  if (all > ATTACHMENTS_BYTES) {
    const message = `Attachments may have at most ${ATTACHMENTS_BYTES} bytes in total; these have ${all}.`;
    throw new BatonError('payload_too_large', message, { details: { field: 'attachments' } });
  }
  const taken = new Set<string>();
  const stored: StoredAttachment[] = [];
  const notes: AttachmentNote[] = [];
  for (const [i, { name: wish, mediaType: said, content }] of files.entries()) {
    const name = freeName(safeName(masker.mask(wish)), taken);
    const mediaType = mediaTypeOf(content, said, i);
    stored.push({
      name,
      mediaType,
      sealed: box.seal(content.toString('base64'), sealedAs(sessionId)),
    });
    notes.push({ name, mediaType, bytes: content.length });
  }
  return { stored, notes };
}

export const openAttachment = (sealed: string, sessionId: string, box: SecretBox): Buffer =>
  Buffer.from(box.open(sealed, sealedAs(sessionId)), 'base64');

const sealedAs = (sessionId: string): string => `attachment in ${sessionId}`;

const NAME_CHARACTERS = 80;

/**
 * A file name that is valid on every system, not hidden, and free of terminal control characters.
 */
export function safeName(name: string): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replace(/[^\p{L}\p{M}\p{N}._ -]/gu, '_')
    .replace(/^[. -]+/, '_')
    .trim();
  if (/^_*$/.test(plain)) return 'file';
  const dot = plain.lastIndexOf('.');
  const end = dot > 0 && plain.length - dot <= 16 ? plain.slice(dot) : '';
  const stem = [...plain.slice(0, plain.length - end.length)].slice(0, NAME_CHARACTERS).join('');
  return `${stem}${end}`.trim();
}

/** Avoids two files with the same name, ignoring case: one would overwrite the other. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${n}-${name}`;
  taken.add(free.toLowerCase());
  return free;
}

const IMAGES: readonly [string, (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12))],
];

/**
 * Images are shown to the agent, so their type is read from their bytes, not taken from the
 * request.
 */
function mediaTypeOf(content: Buffer, said: string, i: number): string {
  const image = IMAGES.find(([, is]) => is(content))?.[0];
  if (image !== undefined) return image;
  if (!IMAGES.some(([type]) => type === said)) return said;
  throw new BatonError('invalid_request', `The file is not a valid ${said}.`, {
    details: { field: `attachments.${i}.mediaType` },
  });
}
