import { afterAll, beforeAll } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { accessContract } from '../../access/access-store.contract.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

accessContract('PostgreSQL', (place, clock) =>
  postgresStore({ url: database.url, schema: `s${place.replaceAll('-', '')}`, clock }),
);
