import { DEPTH } from '../../../test/support/depth.ts';
import { emptySchema } from '../../../test/support/postgres.ts';
import { storeModel } from '../../queue/conformance/model/store.ts';
import { postgresStore } from './store.ts';

storeModel('PostgreSQL', async (clock) => postgresStore({ ...(await emptySchema()), clock }), {
  numRuns: 5 * DEPTH,
});
