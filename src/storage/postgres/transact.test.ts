import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { createDatabase } from '../../../test/support/postgres.ts';
import { postgresStore } from './store.ts';

test('a write takes one connection, whether it is a single statement or a transaction', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const store = await postgresStore({ url: database.url });
  onTestFinished(() => store.close());
  const connect = vi.spyOn(pg.Pool.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  const connections = async (act: () => Promise<unknown>): Promise<number> => {
    connect.mockClear();
    await act();
    // Hints, sent later, go through `Pool.query`, which passes a callback.
    return connect.mock.calls.filter((args: unknown[]) => args.length === 0).length;
  };
  const lane = { lane: 'a' };
  expect(await connections(() => store.enqueue([admission('1', lane)]))).toBe(1);
  expect(await connections(() => store.enqueue([admission('2', lane), admission('3', lane)]))).toBe(
    1,
  );
  expect(
    await connections(() => store.enqueue([admission('4', { ...lane, idempotencyKey: 'k' })])),
  ).toBe(1);
  const events = [{ type: 'agent.notice', payload: null }];
  const outdated = { lane: 'a', fence: 1, no: 1, events };
  expect(await connections(() => store.write([outdated, { ...outdated, no: 2 }]))).toBe(1);
});
