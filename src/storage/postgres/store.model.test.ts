import { afterAll, beforeAll } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { storeModel } from '../../queue/store.model.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

let schemas = 0;
storeModel(
  'PostgreSQL',
  (clock) => postgresStore({ url: database.url, schema: `m${++schemas}`, clock }),
  { numRuns: 30 },
);
