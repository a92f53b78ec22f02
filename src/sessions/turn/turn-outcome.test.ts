import { expect, test } from 'vitest';
import type { DriverEnd } from '../../agents/driver.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { outcomeOf as meaningOf } from '../../queue/handler-result.ts';
import { finalOf, outcomeOf } from './turn-outcome.ts';

const UNTIL = Date.UTC(2030, 0, 1, 5);
const end: DriverEnd = {
  outcome: { kind: 'parked', until: UNTIL, message: 'Usage limit reached' },
  lastMessage: null,
  exitCode: 1,
  signal: null,
  stderr: '',
};
const masking = { masker: createMasker(), maskJson: <T>(value: T): T => value };

test('[Q15] a run waits for the end of a usage limit', () => {
  expect(finalOf(end, masking)).toBeNull();
  expect(meaningOf({ value: outcomeOf(end, masking)?.value })).toMatchObject({
    kind: 'parked',
    until: UNTIL,
    error: { class: 'usage_limit', message: 'Usage limit reached' },
  });
});

test('[Q15] or fails with the end time of the limit, if so configured', () => {
  const failing = { ...masking, parkUsageLimit: false };
  for (const outcome of [finalOf(end, failing), outcomeOf(end, failing)]) {
    expect(meaningOf({ value: outcome?.value })).toEqual({
      kind: 'failed',
      error: {
        class: 'usage_limit',
        message: 'Usage limit reached (until 2030-01-01T05:00:00.000Z)',
      },
    });
  }
});
