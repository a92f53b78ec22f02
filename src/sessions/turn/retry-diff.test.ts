import { expect, test } from 'vitest';
import { EVENT_PAYLOAD_MAX } from '../../contract/event.ts';
import { SESSION_EVENTS } from '../../contract/session-event.ts';
import { byteLength } from '../../contract/values/json.ts';
import { maskJson } from '../../policy/masking/json.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { retryDiffOf } from './retry-diff.ts';

const masker = createMasker();
const payloadOf = (diff: Parameters<typeof retryDiffOf>[1]) =>
  SESSION_EVENTS['run.retry_diff'].parse(retryDiffOf(2, diff, (value) => maskJson(masker, value)));

test('[Q16] [P4] the diff of a workspace is masked', () => {
  const key = `ghp_${'a1B2'.repeat(9)}`;
  const files = [{ path: `keys/${key}`, change: 'added' } as const];
  const diff = payloadOf({
    files,
    patch: `+token = ${key}\n`,
    truncated: false,
    note: `at ${key}`,
  });
  expect(JSON.stringify(diff)).not.toContain('ghp_');
  expect(diff).toMatchObject({ sinceAttempt: 2, truncated: false });
});

test('[Q16] [E5] it fits into an event, even if masks are longer than the secrets', () => {
  const files = Array.from({ length: 500 }, (_, i) => ({
    path: `password=${i}/x`,
    change: 'modified' as const,
  }));
  const patch = '+password=a1\n'.repeat(15_000);
  const diff = payloadOf({ files, patch, truncated: false });
  expect(byteLength(JSON.stringify(diff))).toBeLessThan(EVENT_PAYLOAD_MAX);
  expect(diff.truncated).toBe(true);
  expect(diff.patch).toMatch(/\n$/);
  expect(diff.patch).not.toContain('a1');
});
