import { emptySchema } from '../../../test/support/postgres.ts';
import { sessionContract } from '../../sessions/conformance/session-store.ts';
import { postgresStore } from './store.ts';

sessionContract('PostgreSQL', async (place, clock) =>
  postgresStore({ ...(await emptySchema(place)), clock }),
);
