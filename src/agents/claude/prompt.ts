import type { Json } from '../../contract/values/json.ts';
import type { Attachment, Turn } from '../driver.ts';

const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Models accept only images that are much smaller than this. */
const IMAGE_BYTES = 8 * 1024 * 1024;

/** Claude Code commands that affect only the conversation. */
const COMMANDS = /^\/(?:clear|compact|context|usage)(?:\s|$)/;

/**
 * A leading slash makes the message a command for Claude Code itself, which no rule covers:
 * `/config` writes the settings of the server's user (P3). If the message starts with a space
 * instead, it reaches the model as text.
 */
export const asText = (message: string): string =>
  message.startsWith('/') && !COMMANDS.test(message) ? ` ${message}` : message;

/** The message as sent to the model: images inline, other files by path (A11). */
export async function contentOf(turn: Turn): Promise<Json> {
  const { attachments = [], runtime } = turn;
  const message = asText(turn.message);
  if (attachments.length === 0) return message;
  const shown = attachments.filter(({ mediaType }) => SHOWN.has(mediaType));
  const named = attachments.filter(({ mediaType }) => !SHOWN.has(mediaType));
  const images = await Promise.all(shown.map((image) => block(image, runtime)));
  const list = named.map(({ name, path }) => `- ${name}: ${path}`).join('\n');
  const text = list === '' ? message : `${message}\n\nFiles that came with this message:\n${list}`;
  return [...images, { type: 'text', text }];
}

async function block({ path, mediaType }: Attachment, { files }: Turn['runtime']): Promise<Json> {
  const data = (await files.read(path, IMAGE_BYTES)).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}
