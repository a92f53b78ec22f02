import type { Admission } from '../../src/queue/store.ts';

/** A minimal run to admit. */
export const admission = (id: string, fields: Partial<Admission> = {}): Admission => ({
  id,
  type: 't',
  payload: '{}',
  lane: null,
  owner: '',
  runAt: null,
  delayMs: null,
  maxAttempts: 5,
  idempotencyKey: null,
  bodyHash: null,
  onBusy: 'enqueue',
  ...fields,
});
