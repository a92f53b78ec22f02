import { expect, test } from 'vitest';
import { BatonError, type ErrorCode } from '../../src/contract/errors.ts';
import type { MessageReceipt } from '../../src/contract/message.ts';
import { type Letter, Outbox, type OutboxOptions } from './outbox.ts';

/** A server that does as it is told, answer by answer. */
function rig(answers: readonly (ErrorCode | 'ok' | 'steered')[], kept: string | null = null) {
  const delivered: string[] = [];
  const accepted: string[] = [];
  const left = [...answers];
  let stored = kept;
  let keys = 0;
  const options: OutboxOptions = {
    deliver: async ({ key, text, onBusy }: Letter): Promise<MessageReceipt> => {
      delivered.push(`${key} ${onBusy} ${text}`);
      const answer = left.shift() ?? 'ok';
      const runId = `run-${key}`;
      if (answer === 'ok') return { runId, sessionId: 's', status: 'queued', position: 0 };
      if (answer === 'steered') return { runId, sessionId: 's', status: 'steered', position: 0 };
      throw new BatonError(answer);
    },
    onAccepted: ({ runId }) => accepted.push(runId),
    keep: (text) => {
      stored = text;
    },
    kept,
    pause: async () => {},
    newKey: () => `k${++keys}`,
  };
  return { outbox: new Outbox(options), delivered, accepted, stored: () => stored };
}
const letter = (text: string, onBusy: Letter['onBusy'] = 'enqueue') => ({
  text,
  onBusy,
  files: [],
});
const idle = (outbox: Outbox): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (outbox.get().some(({ state }) => state === 'sending' || state === 'waiting')) return;
      stop();
      resolve();
    };
    const stop = outbox.subscribe(look);
    look();
  });

test('[Q10] a message that was not answered is sent again under its key, before the next one', async () => {
  const { outbox, delivered, accepted, stored } = rig([
    'server_unreachable',
    'database_unreachable',
  ]);
  outbox.send(letter('one'), 'flow');
  outbox.send(letter('two'), 'queue');
  expect(stored()).toContain('one');
  await idle(outbox);
  expect(delivered).toEqual([
    'k1 enqueue one',
    'k1 enqueue one',
    'k1 enqueue one',
    'k2 enqueue two',
  ]);
  expect(accepted).toEqual(['run-k1', 'run-k2']);
  expect(stored()).toBeNull();
  outbox.settle((runId) => runId === 'run-k1');
  expect(outbox.get()).toMatchObject([{ text: 'two', runId: 'run-k2', place: 'queue' }]);
});

test('[C2] what was on its way when the page was reloaded is sent under the same key', async () => {
  const kept = JSON.stringify([{ key: 'old', text: 'hello', onBusy: 'enqueue' }]);
  const { outbox, delivered } = rig([], kept);
  await idle(outbox);
  expect(delivered).toEqual(['old enqueue hello']);
  for (const bad of ['{', '1', 'null']) expect(rig([], bad).outbox.get()).toEqual([]);
});

test('what the server refuses is kept with the reason, and can be sent or thrown away', async () => {
  const { outbox, delivered, stored } = rig(['queue_full', 'ok', 'session_ended']);
  outbox.send(letter('one'), 'flow');
  await idle(outbox);
  expect(outbox.get()).toMatchObject([{ state: 'refused', error: { code: 'queue_full' } }]);
  expect(stored()).toContain('one');
  outbox.again('k1');
  await idle(outbox);
  expect(delivered.at(-1)).toBe('k2 enqueue one');
  outbox.send(letter('two'), 'flow');
  await idle(outbox);
  outbox.discard('k3');
  expect(outbox.get().map(({ text }) => text)).toEqual(['one']);
});

test('[Q11] what comes too late to be handed over is queued; what was handed over is done with', async () => {
  const { outbox, delivered } = rig(['cannot_steer', 'ok', 'steered']);
  outbox.send(letter('late', 'steer'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['k1 steer late', 'k2 enqueue late']);
  outbox.send(letter('now', 'steer'), 'flow');
  await idle(outbox);
  expect(outbox.get().map(({ text }) => text)).toEqual(['late']);
});
