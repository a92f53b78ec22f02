import { emptySchema } from '../../../test/postgres.ts';
import { accessContract } from '../../access/access-store.contract.ts';
import { postgresStore } from './store.ts';

accessContract('PostgreSQL', async (place, clock) =>
  postgresStore({ ...(await emptySchema(place)), clock }),
);
