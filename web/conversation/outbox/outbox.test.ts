import { expect, test } from 'vitest';
import { BatonError, type ErrorCode } from '../../../src/contract/errors.ts';
import type { MessageReceipt } from '../../../src/contract/message.ts';
import { Outbox, type OutboxOptions, type Written } from './outbox.ts';
import type { OutboxStorage, StoredMessage } from './outbox-storage.ts';

/** Storage of a browser; `was` is from before the page was loaded. */
function storeWith(...was: Partial<StoredMessage>[]) {
  const messages = new Map<string, StoredMessage>();
  const whole = { at: 1000, onBusy: 'enqueue', files: [], refusal: null, missing: [] } as const;
  for (const [at, each] of was.entries()) {
    const message = { key: `old${at}`, text: `old ${at}`, ...whole, ...each };
    messages.set(message.key, message);
  }
  const store: OutboxStorage = {
    load: async () => [...messages.values()],
    save: async ({ key, at, text, onBusy, files }, refusal) =>
      messages.set(key, { key, at, text, onBusy, files, refusal, missing: [] }),
    drop: (key) => messages.delete(key),
  };
  return { store, texts: () => [...messages.values()].map(({ text }) => text) };
}

/** A server with scripted responses. */
function rig(answers: readonly ('ok' | 'steered' | ErrorCode)[], kept = storeWith()) {
  const left = [...answers];
  const delivered: string[] = [];
  const accepted: string[] = [];
  let keys = 0;
  const options: OutboxOptions = {
    deliver: async ({ key, text, onBusy }): Promise<MessageReceipt> => {
      delivered.push(`${key} ${onBusy} ${text}`);
      const answer = left.shift() ?? 'ok';
      const runId = `run-${key}`;
      if (answer === 'ok') return { runId, sessionId: 's', status: 'queued', position: 0 };
      if (answer === 'steered') return { runId, sessionId: 's', status: 'steered', position: 0 };
      throw new BatonError(answer);
    },
    onAccepted: ({ runId }) => accepted.push(runId),
    store: kept.store,
    pause: async () => {},
    newKey: () => `k${++keys}`,
    now: () => 2000,
  };
  return { outbox: new Outbox(options), delivered, accepted, kept: kept.texts };
}
const written = (text: string, onBusy: Written['onBusy'] = 'enqueue'): Written => ({
  text,
  onBusy,
  files: [],
});
/** Waits until stored messages are restored and nothing is in flight. */
const idle = async (outbox: Outbox): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (outbox.get().some(({ state }) => state === 'sending' || state === 'waiting')) return;
      stop();
      resolve();
    };
    const stop = outbox.subscribe(check);
    check();
  });
};

test('[Q10] a message without a response is sent again under its key, before the next one', async () => {
  const { outbox, delivered, accepted, kept } = rig(['server_unreachable', 'database_unreachable']);
  outbox.send(written('one'), 'flow');
  outbox.send(written('two'), 'queue');
  expect(kept()).toEqual(['one', 'two']);
  await idle(outbox);
  expect(delivered).toEqual([
    'k1 enqueue one',
    'k1 enqueue one',
    'k1 enqueue one',
    'k2 enqueue two',
  ]);
  expect(accepted).toEqual(['run-k1', 'run-k2']);
  expect(kept()).toEqual([]);
  outbox.dropShown((runId) => runId === 'run-k1');
  expect(outbox.get()).toMatchObject([{ text: 'two', runId: 'run-k2', shownIn: 'queue' }]);
});

test('[C2] a message in flight during a reload is sent first, under the same key', async () => {
  const { outbox, delivered, kept } = rig([], storeWith({}));
  expect(outbox.isIdle).toBe(false);
  outbox.send(written('new'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['old0 enqueue old 0', 'k1 enqueue new']);
  expect(kept()).toEqual([]);
});

test('[X1] a message written after the sign-in ended is sent after the next sign-in', async () => {
  const { outbox, delivered } = rig([], storeWith({ refusal: new BatonError('unauthorized') }));
  await idle(outbox);
  expect(delivered).toEqual(['old0 enqueue old 0']);
});

test('[C2] after a reload, refused messages, those with lost files and old ones wait for the user', async () => {
  const refusal = new BatonError('session_ended');
  const day = 24 * 3600_000;
  const was = storeWith({ refusal }, { missing: ['a.txt'] }, { at: 2000 - day });
  const { outbox, delivered, kept } = rig([], was);
  await idle(outbox);
  expect(delivered).toEqual([]);
  expect(outbox.get()).toMatchObject([
    { state: 'refused', error: { code: 'session_ended' } },
    { state: 'refused', error: null, missing: ['a.txt'] },
    { state: 'refused', error: null, missing: [] },
  ]);
  for (const { key } of outbox.get()) outbox.sendAgain(key);
  await idle(outbox);
  // The message with lost files is not sent.
  expect(delivered).toEqual(['old0 enqueue old 0', 'old2 enqueue old 2']);
  expect(kept()).toEqual(['old 1']);
});

test('a refused message is kept with the reason, and can be sent again or discarded', async () => {
  const { outbox, delivered, kept } = rig(['queue_full', 'ok', 'session_ended']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  expect(outbox.get()).toMatchObject([{ state: 'refused', error: { code: 'queue_full' } }]);
  expect(kept()).toEqual(['one']);
  outbox.sendAgain('k1');
  await idle(outbox);
  outbox.send(written('two'), 'flow');
  await idle(outbox);
  outbox.discard('k2');
  expect(outbox.get().map(({ text }) => text)).toEqual(['one']);
  expect(kept()).toEqual([]);
  expect(delivered).toEqual(['k1 enqueue one', 'k1 enqueue one', 'k2 enqueue two']);
});

test('[Q10] a message that may have arrived is sent again under its key; a conflicting key is not reused', async () => {
  const { outbox, delivered, kept } = rig(['internal', 'idempotency_conflict', 'ok']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  outbox.sendAgain('k1');
  await idle(outbox);
  outbox.sendAgain('k1');
  await idle(outbox);
  expect(delivered).toEqual(['k1 enqueue one', 'k1 enqueue one', 'k2 enqueue one']);
  expect(kept()).toEqual([]);
});

test('[C2] a message that another tab has sent or discarded is dropped here', async () => {
  const { outbox, delivered } = rig(['queue_full']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  outbox.forget('k1');
  outbox.sendAgain('k1');
  await idle(outbox);
  expect(outbox.isIdle).toBe(true);
  expect(delivered).toHaveLength(1);
});

test('[Q11] a follow-up that comes too late is queued; a delivered one is dropped', async () => {
  const { outbox, delivered, kept } = rig(['cannot_steer', 'ok', 'steered']);
  outbox.send(written('late', 'steer'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['k1 steer late', 'k1 enqueue late']);
  outbox.send(written('now', 'steer'), 'flow');
  await idle(outbox);
  expect(outbox.get().map(({ text }) => text)).toEqual(['late']);
  expect(kept()).toEqual([]);
});

test('[C2] a message is sent only after its files are stored, so that the page can be closed safely', async () => {
  const isStored = Promise.withResolvers<void>();
  const { store, texts } = storeWith();
  const { outbox, delivered } = rig([], {
    store: { ...store, save: () => isStored.promise },
    texts,
  });
  outbox.send(written('with a file'), 'flow');
  await new Promise((resolve) => setTimeout(resolve));
  expect(delivered).toEqual([]);
  isStored.resolve();
  await idle(outbox);
  expect(delivered).toEqual(['k1 enqueue with a file']);
});

test('[C2] a message discarded while it is being stored is not sent', async () => {
  const isStored = Promise.withResolvers<void>();
  const { store, texts } = storeWith();
  const { outbox, delivered } = rig([], {
    store: { ...store, save: () => isStored.promise },
    texts,
  });
  outbox.send(written('never mind'), 'flow');
  await new Promise((resolve) => setTimeout(resolve));
  outbox.discard('k1');
  isStored.resolve();
  outbox.send(written('this one'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['k2 enqueue this one']);
});
