import { expect, onTestFinished, test, vi } from 'vitest';
import { LogWriter } from './log-writer.ts';

/** A descriptor that accepts `room` bytes, and then fails with `code`. */
function rig(code: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = { text: '', room: Number.POSITIVE_INFINITY };
  const writer = new LogWriter((bytes) => {
    if (file.room === 0) throw Object.assign(new Error(code), { code });
    const taken = bytes.subarray(0, file.room);
    file.text += Buffer.from(taken).toString();
    file.room -= taken.length;
    return taken.length;
  });
  return { file, writer };
}

test('[O4] a line is written immediately', () => {
  const { file, writer } = rig('EAGAIN');
  writer.write('one\n');
  expect(file.text).toBe('one\n');
});

test.each(['EAGAIN', 'ENOSPC'])(
  '[O4] [O5] lines wait during %s, and continue where they stopped',
  (code) => {
    const { file, writer } = rig(code);
    file.room = 6;
    for (const line of ['one\n', 'two\n', 'three\n']) writer.write(line);
    expect(file.text).toBe('one\ntw');
    vi.advanceTimersByTime(1000);
    file.room = 1000;
    vi.advanceTimersByTime(100);
    expect(file.text).toBe('one\ntwo\nthree\n');
  },
);

test('[O4] beyond a mebibyte of waiting lines, more are dropped, and the log reports how many', () => {
  const { file, writer } = rig('ENOSPC');
  file.room = 0;
  const line = `${'x'.repeat(1023)}\n`;
  for (let i = 0; i < 1024 + 7; i++) writer.write(line);
  file.room = Number.POSITIVE_INFINITY;
  vi.advanceTimersByTime(100);
  writer.write('next\n');
  const lines = file.text.split('\n');
  expect(lines).toHaveLength(1024 + 3);
  expect(JSON.parse(lines[1024] ?? '')).toMatchObject({ level: 40, dropped: 7 });
  expect(lines[1025]).toBe('next');
});

test('[O4] an exit waits a little for a slow reader, and for nothing else', () => {
  for (const code of ['EAGAIN', 'EPIPE']) {
    const { file, writer } = rig(code);
    file.room = 0;
    writer.write('last\n');
    const start = performance.now();
    writer.flush();
    expect(performance.now() - start).toBeLessThan(1000);
    file.room = 100;
    writer.flush();
    expect(file.text).toBe('last\n');
  }
});
