import { z } from 'zod';
import { CostSums } from '../run-view.ts';
import { Time } from '../values/time.ts';
import { endpoint } from './endpoint.ts';

export const CostBy = z.enum(['day', 'user', 'channel', 'model', 'session']);
export type CostBy = z.infer<typeof CostBy>;

export const CostLine = CostSums.extend({
  /** The UTC day, or the id of the user, channel, model or session; empty if unknown. */
  key: z.string(),
});
export type CostLine = z.infer<typeof CostLine>;

export const costEndpoints = {
  listCosts: endpoint({
    method: 'GET',
    path: '/api/v1/cost',
    summary: 'Costs of the sessions you can see, by day, user, channel, model or session',
    group: 'Operating',
    query: z.strictObject({
      by: CostBy.optional().describe('Default: `day`.'),
      from: Time.optional().describe('Costs at or after this time; default: 30 days ago.'),
      to: Time.optional().describe(
        'Costs before this time; default: now. At most 366 days after `from`.',
      ),
    }),
    /** When grouped by day, all days in order; otherwise the thousand most expensive lines. */
    answer: z.object({ items: z.array(CostLine) }),
  }),
};
