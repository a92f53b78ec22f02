import { afterAll, beforeAll } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { storeContract } from '../../queue/store.contract.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

let schemas = 0;
storeContract('PostgreSQL', (clock) =>
  postgresStore({ url: database.url, schema: `s${++schemas}`, clock }),
);
