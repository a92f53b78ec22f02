import { z } from 'zod';

/** In pieces, because a regular expression over megabytes may take more stack than there is. */
const PIECE = 64 * 1024;
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  for (let from = 0; from < text.length; from += PIECE) {
    const last = from + PIECE >= text.length;
    const letters = last ? /^[A-Za-z0-9+/]*={0,2}$/ : /^[A-Za-z0-9+/]*$/;
    if (!letters.test(text.slice(from, from + PIECE))) return false;
  }
  return true;
}

/** The same for whoever reads the description of the API. */
const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** A file as it comes with a message. */
export const AttachmentUpload = z.strictObject({
  /** Shown to the agent; where it is stored follows from it, made safe. */
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

/** What a run says about a file that came with its message. */
export const AttachmentNote = z.object({
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int(),
});
export type AttachmentNote = z.infer<typeof AttachmentNote>;
