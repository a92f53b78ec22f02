import { DEPTH } from '../../../test/support/depth.ts';
import { emptySchema } from '../../../test/support/postgres.ts';
import { sessionModel } from '../../sessions/conformance/model/session-store.ts';
import { postgresStore } from './store.ts';

sessionModel(
  'PostgreSQL',
  async (place, clock) => postgresStore({ ...(await emptySchema(place)), clock }),
  { numRuns: 3 * DEPTH },
);
