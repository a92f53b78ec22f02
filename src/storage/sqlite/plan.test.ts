import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { SELECT_SESSION } from '../operations/sessions/load.ts';
import { Connection } from './connection.ts';
import { migrate } from './migrate.ts';

test('[S1] [H9] reading a session reads none of its finished runs', () => {
  const connection = new Connection(join(temporaryDirectory(), 'baton.db'), { readOnly: false });
  migrate(connection);
  const text = `EXPLAIN QUERY PLAN ${SELECT_SESSION} WHERE s.id = $2`;
  const plan = connection.query({ text, values: [0, 'id'] }) as { detail: string }[];
  const ofRuns = plan.map(({ detail }) => detail).filter((detail) => /\br USING\b/.test(detail));
  expect(ofRuns).toEqual([expect.stringContaining('USING COVERING INDEX runs_not_joined')]);
  connection.close();
});
