import { emptySchema } from '../../../test/support/postgres.ts';
import { storeConformance } from '../../queue/conformance/store.ts';
import { postgresStore } from './store.ts';

storeConformance('PostgreSQL', async (clock) => postgresStore({ ...(await emptySchema()), clock }));
