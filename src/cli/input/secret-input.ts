import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Reads a secret from a pipe, or asks for it on a terminal without showing what is typed. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Created before the question is printed, so that nothing typed in answer is echoed.
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  // In this mode Ctrl-C arrives as a key, not as a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  process.stderr.write('\n');
  return String(line).trim();
}
