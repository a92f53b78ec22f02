import { z } from 'zod';
import { Time } from '../time.ts';
import { endpoint } from './endpoint.ts';

export const CostBy = z.enum(['day', 'user', 'channel', 'model', 'session']);
export type CostBy = z.infer<typeof CostBy>;

export const CostLine = z.object({
  /** The day, user, channel, model or session. */
  key: z.string(),
  costUsd: z.number(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheCreationTokens: z.int(),
  cacheReadTokens: z.int(),
  invocations: z.int(),
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
      to: Time.optional().describe('Before this time.'),
    }),
    answer: z.object({ items: z.array(CostLine) }),
  }),
};
