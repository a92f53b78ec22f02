import { once } from 'node:events';
import { constants } from 'node:os';
import { plainText } from './terminal-filter.ts';

/**
 * A reader that has gone (`| head`) ends a command quietly, with the code a shell would show. A node
 * goes on: its log does not depend on who reads it.
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

/** Words around a result, where they cannot be taken for it. They may quote what others wrote. */
export function note(text: string): void {
  const { stderr } = process;
  stderr.write(`${stderr.isTTY ? plainText(text) : text}\n`);
}

/** One JSON value, one line. */
export function printJson(value: unknown): void {
  printLine(jsonLine(value));
}

export const jsonLine = (value: unknown): string => safeJson(JSON.stringify(value));

/** JSON as it comes in pieces; waits while its reader is slow. */
export async function printJsonText(piece: string): Promise<void> {
  if (!process.stdout.write(safeJson(piece))) await once(process.stdout, 'drain');
}

/** JSON escapes control codes below space only; a terminal obeys those from 0x7f on, too. */
const safeJson = (text: string): string =>
  text.replace(/[\x7f-\x9f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Resolves when everything written has been taken, so that an exit loses nothing. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((done) => void stream.write('', () => done())),
    ),
  );
}
