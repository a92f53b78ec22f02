import { once } from 'node:events';
import { constants } from 'node:os';
import { plainText } from './terminal-filter.ts';

/**
 * Ends a command quietly when its reader is gone (`| head`), with the exit code that a shell would
 * show. Not for nodes, which keep running when nobody reads their log.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(128 + constants.signals.SIGPIPE);
    });
  }
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Prints text about a result to stderr, so that it is not mistaken for the result. The text may
 * quote what others wrote.
 */
export function note(text: string): void {
  const { stderr } = process;
  stderr.write(`${stderr.isTTY ? plainText(text) : text}\n`);
}

/** Prints one JSON value on one line. */
export function printJson(value: unknown): void {
  printLine(jsonLine(value));
}

export const jsonLine = (value: unknown): string => safeJson(JSON.stringify(value));

/** Prints JSON that arrives in pieces; waits for a slow reader. */
export async function printJsonText(piece: string): Promise<void> {
  if (!process.stdout.write(safeJson(piece))) await once(process.stdout, 'drain');
}

/** JSON escapes only control codes below space; a terminal also obeys those from 0x7f to 0x9f. */
const safeJson = (text: string): string =>
  text.replace(/[\x7f-\x9f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Resolves when all output has been flushed, so that an exit loses nothing. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((done) => void stream.write('', () => done())),
    ),
  );
}
