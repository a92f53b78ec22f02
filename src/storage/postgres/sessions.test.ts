import { emptySchema } from '../../../test/postgres.ts';
import { sessionContract } from '../../sessions/session-store.contract.ts';
import { postgresStore } from './store.ts';

sessionContract('PostgreSQL', async (place, clock) =>
  postgresStore({ ...(await emptySchema(place)), clock }),
);
