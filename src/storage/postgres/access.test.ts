import { emptySchema } from '../../../test/support/postgres.ts';
import { accessContract } from '../../access/conformance/access-store.ts';
import { postgresStore } from './store.ts';

accessContract('PostgreSQL', async (place, clock) =>
  postgresStore({ ...(await emptySchema(place)), clock }),
);
