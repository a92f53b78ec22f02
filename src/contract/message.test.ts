import { expect, test } from 'vitest';
import { SchedulerMessage } from './api/compat-scheduler.ts';
import { MessageRequest } from './message.ts';

test('[H9] the metadata of a message is at most 16 KiB of JSON', () => {
  for (const schema of [MessageRequest, SchedulerMessage]) {
    const isAccepted = (length: number): boolean =>
      schema.safeParse({ message: 'hi', metadata: { note: 'x'.repeat(length) } }).success;
    expect(isAccepted(16_000)).toBe(true);
    expect(isAccepted(17_000)).toBe(false);
  }
});
