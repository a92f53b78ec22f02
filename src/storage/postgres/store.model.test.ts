import { DEPTH } from '../../../test/depth.ts';
import { emptySchema } from '../../../test/postgres.ts';
import { storeModel } from '../../queue/store.model.ts';
import { postgresStore } from './store.ts';

storeModel('PostgreSQL', async (clock) => postgresStore({ ...(await emptySchema()), clock }), {
  numRuns: 5 * DEPTH,
});
