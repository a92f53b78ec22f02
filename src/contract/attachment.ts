import { z } from 'zod';

/** Checked in pieces, because a regular expression over megabytes can overflow the stack. */
const PIECE = 64 * 1024;
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  for (let from = 0; from < text.length; from += PIECE) {
    const last = from + PIECE >= text.length;
    const digits = last ? /^[A-Za-z0-9+/]*={0,2}$/ : /^[A-Za-z0-9+/]*$/;
    if (!digits.test(text.slice(from, from + PIECE))) return false;
  }
  return true;
}

/** The Base64 check as a pattern for the OpenAPI document. */
const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** A file sent with a message. */
export const AttachmentUpload = z.strictObject({
  /** The name shown to the agent. The file is stored under a sanitised form of this name. */
  name: z.string().min(1).max(255),
  mediaType: z
    .string()
    .max(100)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'is not a media type such as image/png')
    .default('application/octet-stream'),
  /** Base64. */
  data: z
    .string()
    .refine(isBase64, 'is not base64')
    .meta({ contentEncoding: 'base64', pattern: BASE64 }),
});
export type AttachmentUpload = z.output<typeof AttachmentUpload>;

/** A run's record of a file that was sent with its message. */
export const AttachmentNote = z.object({
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int(),
});
export type AttachmentNote = z.infer<typeof AttachmentNote>;
