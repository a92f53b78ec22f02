import { expect, onTestFinished, test, vi } from 'vitest';
import type { Admission } from '../../queue/store.ts';
import type { Row, Statement } from '../statement.ts';
import { commitTogether } from './commit.ts';
import { Connection } from './connection.ts';
import { migrate } from './migrate.ts';

/** A full disk at a run's row, after which SQLite has rolled back the transaction by itself. */
class FullDisk extends Connection {
  full = false;

  override query(statement: Statement): readonly Row[] {
    if (this.full && statement.text.startsWith('INSERT INTO runs')) {
      this.exec('ROLLBACK');
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    }
    return super.query(statement);
  }
}

const enqueue = (id: string) => {
  const admission: Admission = {
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
  };
  const write = { name: 'enqueue', args: [[admission]] } as const;
  return { id: 0, write, now: 1000 };
};

test('a full disk that rolls back the whole transaction is reported as a full disk, so callers retry', () => {
  const connection = new FullDisk(':memory:', { readOnly: false });
  migrate(connection);
  connection.full = true;
  const replies = commitTogether(connection, 'file', [enqueue('a'), enqueue('b')]);
  expect(replies).toMatchObject([
    { error: { code: 'disk_full' } },
    { error: { code: 'disk_full' } },
  ]);
  connection.full = false;
  const [reply] = commitTogether(connection, 'file', [enqueue('a')]);
  expect(reply).toMatchObject({ done: { value: [{ id: 'a', known: false }] } });
  connection.close();
});

test('[Q6] a commit ends after a second, so that leases are renewed between calls that take long', () => {
  const connection = new Connection(':memory:', { readOnly: false });
  migrate(connection);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 400));
  onTestFinished(() => clock.mockRestore());
  const calls = ['a', 'b', 'c', 'd', 'e'].map(enqueue);
  expect(commitTogether(connection, 'file', calls)).toHaveLength(3);
  expect(commitTogether(connection, 'file', calls.slice(3))).toHaveLength(2);
  const [counted] = connection.query({ text: 'SELECT count(*) AS n FROM runs', values: [] });
  expect(counted).toEqual({ n: 5 });
  connection.close();
});
