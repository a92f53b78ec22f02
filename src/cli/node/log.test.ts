import { pino } from 'pino';
import { expect, test } from 'vitest';
import { maskLines } from '../../node/logging.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { createLog, readable } from './log.ts';

const maskLine = maskLines(createMasker());

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

test('[O4] text written by others can neither take over the terminal nor look like another line', () => {
  const lines: string[] = [];
  const log = pino(
    { base: null },
    readable((line) => lines.push(line)),
  );
  const hostile = '/tmp/\x1b]0;title\x07\x1b[2Jx\n12:00:00 Node started\u009b31m';
  log.warn({ reason: hostile, [hostile]: 1 }, hostile);
  log.error({ err: new Error(hostile) }, 'Failed');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are our own colours
  const [line = '', failed = ''] = lines.map((each) => each.replace(/\x1b\[\d+m/g, ''));
  expect(line.trimEnd()).not.toMatch(/[^\P{Cc}\n]|\n/u);
  expect(failed).not.toMatch(/[^\P{Cc}\n]/u);
  expect(failed).toContain('Error: /tmp/x');
});

test('[O4] [E8] no secret reaches the log: message, field, name of a field, error, cause, child', () => {
  for (const { secret, text } of SECRETS) {
    const lines: string[] = [];
    const log = createLog('info', maskLine, { write: (line) => lines.push(line) });
    const err = new Error(`failed with ${text}`, { cause: new Error(text) });
    log.info(text);
    log.info({ output: text, deep: { list: [text], [text]: 1 } }, 'Fields');
    log.error({ err }, 'An error');
    log.child({ header: text }).warn('A child');
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const { time, msg, ...rest } = JSON.parse(line);
      expect(time).toBeGreaterThan(0);
      expect(JSON.stringify([msg, rest])).toContain('***');
      expect(`${msg}${JSON.stringify(rest)}`).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(line.endsWith('}\n')).toBe(true);
    }
  }
});

test('[O4] [E8] no secret reaches a terminal either, where an error shows its stack', () => {
  const lines: string[] = [];
  const log = createLog(
    'info',
    maskLine,
    readable((line) => lines.push(line)),
  );
  const { secret, text, masked } = SECRETS[0]!;
  log.error({ err: new Error(text), password: 'hunter2' }, `Sent ${text}`);
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain(`Error: ${masked}`);
});
