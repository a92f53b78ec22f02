import { emptySchema } from '../../../test/support/postgres.ts';
import { sessionConformance } from '../../sessions/conformance/session-store.ts';
import { postgresStore } from './store.ts';

sessionConformance('PostgreSQL', async (name, clock) =>
  postgresStore({ ...(await emptySchema(name)), clock }),
);
