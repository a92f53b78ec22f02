import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { BatonError } from '../../contract/errors.ts';
import { type TurnOptions, takeTurn } from './agent-turn.ts';

test('[O5] two database failures at its start end the attempt, not the process', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const closed = async (): Promise<never> => {
    throw new BatonError('closed');
  };
  const putSnapshot = vi.fn(closed);
  const snapshot = async () => ({ kind: 'none', reason: 'a test' });
  const options = {
    current: { session: { agent: { kind: 'claude' } } },
    runtime: { ...testRuntime(temporaryDirectory()), snapshot },
    plan: { conversation: null, message: 'hello' },
    context: { run: { id: 'run', lane: 'session' }, signal: new AbortController().signal },
    parts: {
      store: { putInvocation: closed, putSnapshot },
      clock: Date.now,
    },
  } as unknown as TurnOptions;
  await expect(takeTurn(options)).rejects.toThrow(BatonError);
  expect(putSnapshot).toHaveBeenCalledOnce();
  await setImmediate();
  expect(unhandled).not.toHaveBeenCalled();
});

test('[Q16] a snapshot that is still being taken when the turn ends is abandoned, not stored', async () => {
  const dataDir = temporaryDirectory();
  const runtime = testRuntime(temporaryDirectory(), { dataDir });
  const snapshots = join(dataDir, 'snapshots', runtime.id);
  const begun = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const putSnapshot = vi.fn();
  const options = {
    current: { session: { agent: { kind: 'claude' } } },
    runtime: {
      ...runtime,
      snapshot: (how: { signal: AbortSignal }) => {
        ({ signal } = how);
        begun.resolve();
        return runtime.snapshot(how);
      },
    },
    plan: { conversation: null, message: 'hello' },
    context: { run: { id: 'run', lane: 'session' }, signal: new AbortController().signal },
    parts: {
      store: {
        putInvocation: async () => {
          await begun.promise;
          throw new BatonError('closed');
        },
        putSnapshot,
      },
      clock: Date.now,
    },
  } as unknown as TurnOptions;
  await expect(takeTurn(options)).rejects.toThrow(BatonError);
  expect(signal?.aborted).toBe(true);
  expect(putSnapshot).not.toHaveBeenCalled();
  // Nothing is written after the turn: the session may be deleted, or its next run may begin.
  const left = existsSync(snapshots) ? readdirSync(snapshots) : [];
  expect(left.filter((name) => name.startsWith('git-'))).toEqual([]);
});
