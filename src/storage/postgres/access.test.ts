import { emptySchema } from '../../../test/support/postgres.ts';
import { accessConformance } from '../../access/conformance/access-store.ts';
import { postgresStore } from './store.ts';

accessConformance('PostgreSQL', async (name, clock) =>
  postgresStore({ ...(await emptySchema(name)), clock }),
);
