import { text } from 'node:stream/consumers';
import { usageError } from '../../config/user-error.ts';
import { MESSAGE_MAX } from '../../contract/limits.ts';
import { MessageText } from '../../contract/message.ts';

/** A command's message: its argument or the piped input; undefined if stopped while reading. */
export async function readMessage(
  words: readonly string[],
  input: typeof process.stdin,
  stop: AbortSignal,
): Promise<string | undefined> {
  if (words.length > 1) {
    throw usageError({
      what: 'There is more than one message.',
      why: `${words.map((word) => `"${word}"`).join(', ')} are separate arguments.`,
      todo: 'put the message in quotes.',
    });
  }
  const [word] = words;
  if ((word === undefined || word === '-') && input.isTTY) throw noMessage('none was given');
  const message = word === undefined || word === '-' ? await textUntil(input, stop) : word;
  if (stop.aborted) return undefined;
  const parsed = MessageText.safeParse(message);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues[0]?.message ?? `it must be 1 to ${MESSAGE_MAX} characters`;
  throw message.trim() === '' ? noMessage('it is empty') : unusable(why);
}

async function textUntil(input: typeof process.stdin, stop: AbortSignal): Promise<string> {
  const stopped = new Promise<string>((resolve) => {
    stop.addEventListener('abort', () => resolve(''), { once: true });
  });
  return Promise.race([text(input), stopped]);
}

function noMessage(why: string): Error {
  return usageError({
    what: 'No message was given.',
    why: `${why}.`,
    todo: 'write it in quotes as the last argument, or pipe it in.',
  });
}

function unusable(why: string): Error {
  return usageError({
    what: 'The message is not valid.',
    why: `${why}.`,
    todo: 'correct the message.',
  });
}
