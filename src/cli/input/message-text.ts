import { text } from 'node:stream/consumers';
import { usageError } from '../../config/user-error.ts';
import { MESSAGE_MAX } from '../../contract/limits.ts';
import { MessageText } from '../../contract/message.ts';

/** The message of a command: its one word, or what comes through a pipe; none if stopped before. */
export async function readMessage(
  words: readonly string[],
  input: typeof process.stdin,
  stop: AbortSignal,
): Promise<string | undefined> {
  if (words.length > 1) {
    throw usageError({
      what: 'There is more than one message.',
      why: `the words ${words.map((word) => `"${word}"`).join(', ')} stand apart.`,
      todo: 'put the message into quotes.',
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
    what: 'There is no message.',
    why: `${why}.`,
    todo: 'write it in quotes as the last word, or send it through a pipe.',
  });
}

function unusable(why: string): Error {
  return usageError({
    what: 'The message cannot be used.',
    why: `${why}.`,
    todo: 'write another one.',
  });
}
