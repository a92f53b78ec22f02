import { constants } from 'node:os';

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

/** One JSON value, one line. */
export function printJson(value: unknown): void {
  printLine(jsonLine(value));
}

/** JSON escapes control codes below space only; a terminal obeys those from 0x7f on, too. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Resolves when everything written has been taken, so that an exit loses nothing. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((done) => void stream.write('', () => done())),
    ),
  );
}
