import { emptySchema } from '../../../test/postgres.ts';
import { storeContract } from '../../queue/store.contract.ts';
import { postgresStore } from './store.ts';

storeContract('PostgreSQL', async (clock) => postgresStore({ ...(await emptySchema()), clock }));
