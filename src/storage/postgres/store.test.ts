import { emptySchema } from '../../../test/support/postgres.ts';
import { storeContract } from '../../queue/conformance/store.ts';
import { postgresStore } from './store.ts';

storeContract('PostgreSQL', async (clock) => postgresStore({ ...(await emptySchema()), clock }));
