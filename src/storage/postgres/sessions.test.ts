import { afterAll, beforeAll } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { sessionContract } from '../../sessions/session-store.contract.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

sessionContract('PostgreSQL', (place, clock) =>
  postgresStore({ url: database.url, schema: `s${place.replaceAll('-', '')}`, clock }),
);
