import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readable } from './log.ts';

test('[O4] a terminal gets one line per entry: time, level, message, fields, stack', () => {
  const lines: string[] = [];
  const log = pino(
    { base: null },
    readable((line) => lines.push(line)),
  );
  log.info({ runId: 'r1', attempt: 2 }, 'Started');
  log.error({ err: new Error('broken') }, 'Failed');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
  const plain = lines.map((line) => line.replace(/\x1b\[\d+m/g, ''));
  expect(plain[0]).toMatch(/^\d\d:\d\d:\d\d Started runId=r1 attempt=2\n$/);
  expect(plain[1]).toMatch(/^\d\d:\d\d:\d\d error Failed\nError: broken\n {4}at /);
});
