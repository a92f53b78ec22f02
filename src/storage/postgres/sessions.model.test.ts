import { afterAll, beforeAll } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { sessionModel } from '../../sessions/session-store.model.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

sessionModel(
  'PostgreSQL',
  (place, clock) =>
    postgresStore({ url: database.url, schema: `s${place.replaceAll('-', '')}`, clock }),
  { numRuns: 15 },
);
