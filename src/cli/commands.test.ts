import { expect, test } from 'vitest';
import { BatonError } from '../contract/errors.ts';
import { showError } from './commands.ts';
import { explain } from './connection/remote.ts';

const server = { url: 'http://127.0.0.1:1', token: 'x', source: '--url' };
const hostile = 'No.\x1b]0;title\x07\x1b[2J\u009b1A\r';

function shown(isTTY: boolean, error: unknown): string {
  let text = '';
  showError(error, { isTTY, write: (piece) => (text += piece) });
  return text;
}

test("[C1] a server's error message cannot take over the terminal", () => {
  const refused = explain(new BatonError('invalid_request', hostile), server);
  expect(shown(true, refused)).toMatch(/^error: No\.\nWhy: .*\nWhat to do: .*\n$/);
  expect(shown(true, new Error(hostile))).not.toMatch(/[^\P{Cc}\n]/u);
  expect(shown(false, refused)).toContain(hostile);
});
