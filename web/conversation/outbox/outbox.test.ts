import { expect, test } from 'vitest';
import { BatonError, type ErrorCode } from '../../../src/contract/errors.ts';
import type { MessageReceipt } from '../../../src/contract/message.ts';
import { Outbox, type OutboxOptions, type Written } from './outbox.ts';
import type { KeptLetter, LetterStore } from './outbox-storage.ts';

/** As a browser keeps them; `was` is from before the page. */
function storeWith(...was: Partial<KeptLetter>[]) {
  const letters = new Map<string, KeptLetter>();
  const whole = { at: 1000, onBusy: 'enqueue', files: [], refusal: null, missing: [] } as const;
  for (const [at, each] of was.entries()) {
    const letter = { key: `old${at}`, text: `old ${at}`, ...whole, ...each };
    letters.set(letter.key, letter);
  }
  const store: LetterStore = {
    load: async () => [...letters.values()],
    keep: async ({ key, at, text, onBusy, files }, refusal) =>
      letters.set(key, { key, at, text, onBusy, files, refusal, missing: [] }),
    drop: (key) => letters.delete(key),
  };
  return { store, texts: () => [...letters.values()].map(({ text }) => text) };
}

/** A server that does as it is told, answer by answer. */
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
/** Until what was kept is there and nothing is on its way. */
const idle = async (outbox: Outbox): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (outbox.get().some(({ state }) => state === 'sending' || state === 'waiting')) return;
      stop();
      resolve();
    };
    const stop = outbox.subscribe(look);
    look();
  });
};

test('[Q10] a message that was not answered is sent again under its key, before the next one', async () => {
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
  outbox.settle((runId) => runId === 'run-k1');
  expect(outbox.get()).toMatchObject([{ text: 'two', runId: 'run-k2', place: 'queue' }]);
});

test('[C2] what was on its way when the page was reloaded is sent under the same key, and first', async () => {
  const { outbox, delivered, kept } = rig([], storeWith({}));
  expect(outbox.isIdle).toBe(false);
  outbox.send(written('new'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['old0 enqueue old 0', 'k1 enqueue new']);
  expect(kept()).toEqual([]);
});

test('[X1] what was written when the sign-in had ended goes on with the next one', async () => {
  const { outbox, delivered } = rig([], storeWith({ refusal: new BatonError('unauthorized') }));
  await idle(outbox);
  expect(delivered).toEqual(['old0 enqueue old 0']);
});

test('[C2] what was refused, has lost its files or is of long ago waits for a person after a reload', async () => {
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
  for (const { key } of outbox.get()) outbox.again(key);
  await idle(outbox);
  // Not without its files.
  expect(delivered).toEqual(['old0 enqueue old 0', 'old2 enqueue old 2']);
  expect(kept()).toEqual(['old 1']);
});

test('what the server refuses is kept with the reason, and can be sent or thrown away', async () => {
  const { outbox, delivered, kept } = rig(['queue_full', 'ok', 'session_ended']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  expect(outbox.get()).toMatchObject([{ state: 'refused', error: { code: 'queue_full' } }]);
  expect(kept()).toEqual(['one']);
  outbox.again('k1');
  await idle(outbox);
  outbox.send(written('two'), 'flow');
  await idle(outbox);
  outbox.discard('k2');
  expect(outbox.get().map(({ text }) => text)).toEqual(['one']);
  expect(kept()).toEqual([]);
  expect(delivered).toEqual(['k1 enqueue one', 'k1 enqueue one', 'k2 enqueue two']);
});

test('[Q10] what may have arrived is sent again under its key; a key that is taken is not used again', async () => {
  const { outbox, delivered, kept } = rig(['internal', 'idempotency_conflict', 'ok']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  outbox.again('k1');
  await idle(outbox);
  outbox.again('k1');
  await idle(outbox);
  expect(delivered).toEqual(['k1 enqueue one', 'k1 enqueue one', 'k2 enqueue one']);
  expect(kept()).toEqual([]);
});

test('[C2] what another tab has sent or thrown away is done with here', async () => {
  const { outbox, delivered } = rig(['queue_full']);
  outbox.send(written('one'), 'flow');
  await idle(outbox);
  outbox.lose('k1');
  outbox.again('k1');
  await idle(outbox);
  expect(outbox.isIdle).toBe(true);
  expect(delivered).toHaveLength(1);
});

test('[Q11] what comes too late to be handed over is queued; what was handed over is done with', async () => {
  const { outbox, delivered, kept } = rig(['cannot_steer', 'ok', 'steered']);
  outbox.send(written('late', 'steer'), 'flow');
  await idle(outbox);
  expect(delivered).toEqual(['k1 steer late', 'k1 enqueue late']);
  outbox.send(written('now', 'steer'), 'flow');
  await idle(outbox);
  expect(outbox.get().map(({ text }) => text)).toEqual(['late']);
  expect(kept()).toEqual([]);
});

test('[C2] a message is sent once its files are kept, so that a page which shows it as unsent can be closed', async () => {
  const isKept = Promise.withResolvers<void>();
  const { store, texts } = storeWith();
  const { outbox, delivered } = rig([], { store: { ...store, keep: () => isKept.promise }, texts });
  outbox.send(written('with a file'), 'flow');
  await new Promise((resolve) => setTimeout(resolve));
  expect(delivered).toEqual([]);
  isKept.resolve();
  await idle(outbox);
  expect(delivered).toEqual(['k1 enqueue with a file']);
});
