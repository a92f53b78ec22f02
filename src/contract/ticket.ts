import { z } from 'zod';
import { Time } from './values/time.ts';

/**
 * For requests in which a page cannot send headers: opening a WebSocket, or downloading through a
 * link.
 */
export const CreateTicket = z.strictObject({
  /** The path of the WebSocket or download, without a query. */
  path: z
    .string()
    .max(500)
    .regex(/^\/(?:ws|api)\/[\w./~-]+$/, 'is not the path of a WebSocket or a download'),
});
export type CreateTicket = z.output<typeof CreateTicket>;

export const Ticket = z.object({ ticket: z.string(), expiresAt: Time });
export type Ticket = z.infer<typeof Ticket>;

const ticketParameter = z
  .string()
  .max(100)
  .optional()
  .describe('Lets a browser open this link once; see `POST /api/v1/tickets`.');
export const linkQuery = z.strictObject({ ticket: ticketParameter });
