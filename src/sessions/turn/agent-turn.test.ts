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
  const options = {
    current: { session: { agent: { kind: 'claude' } } },
    runtime: testRuntime(temporaryDirectory()),
    plan: { conversation: null, message: 'hello' },
    context: { run: { id: 'run', lane: 'session' }, signal: new AbortController().signal },
    parts: {
      store: { putInvocation: closed, putSnapshot },
      clock: Date.now,
    },
  } as unknown as TurnOptions;
  await expect(takeTurn(options)).rejects.toThrow(BatonError);
  // git starts slowly on a busy machine.
  await vi.waitFor(() => expect(putSnapshot).toHaveBeenCalledOnce(), { timeout: 20_000 });
  await setImmediate();
  expect(unhandled).not.toHaveBeenCalled();
});
