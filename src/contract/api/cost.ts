import { z } from 'zod';
import { CostSums } from '../run-view.ts';
import { Time } from '../time.ts';
import { endpoint } from './endpoint.ts';

export const CostBy = z.enum(['day', 'user', 'channel', 'model', 'session']);
export type CostBy = z.infer<typeof CostBy>;

export const CostLine = CostSums.extend({
  /** The day (UTC), or the id of the user, channel, model or session; empty if it is not known. */
  key: z.string(),
});
export type CostLine = z.infer<typeof CostLine>;

export const costEndpoints = {
  listCosts: endpoint({
    method: 'GET',
    path: '/api/v1/cost',
    summary: 'What agents have cost, of what you may see, by day, user, channel, model or session',
    group: 'Operating',
    query: z.strictObject({
      by: CostBy.optional().describe('`day` unless told.'),
      from: Time.optional().describe('Not before this time; 30 days ago unless told.'),
      to: Time.optional().describe(
        'Before this time; now unless told, and at most 366 days later.',
      ),
    }),
    /** By days in their order, of others the thousand most expensive. */
    answer: z.object({ items: z.array(CostLine) }),
  }),
};
