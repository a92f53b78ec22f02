import { DEPTH } from '../../../test/depth.ts';
import { emptySchema } from '../../../test/postgres.ts';
import { sessionModel } from '../../sessions/session-store.model.ts';
import { postgresStore } from './store.ts';

sessionModel(
  'PostgreSQL',
  async (place, clock) => postgresStore({ ...(await emptySchema(place)), clock }),
  { numRuns: 3 * DEPTH },
);
