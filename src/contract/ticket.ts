import { z } from 'zod';
import { Time } from './time.ts';

/** For a request that a page can send no header with: a WebSocket, or a download by link. */
export const CreateTicket = z.strictObject({
  /** Of the WebSocket or the download, without its query. */
  path: z
    .string()
    .max(500)
    .regex(/^\/(?:ws|api)\/[\w./~-]+$/, 'is not the path of a WebSocket or a download'),
});
export type CreateTicket = z.output<typeof CreateTicket>;

export const Ticket = z.object({ ticket: z.string(), expiresAt: Time });
export type Ticket = z.infer<typeof Ticket>;

/** As it comes in the query of what it opens. */
const ticketIn = z
  .string()
  .max(100)
  .optional()
  .describe('Opens this once, for a browser that links to it; see `POST /api/v1/tickets`.');
export const linkQuery = z.strictObject({ ticket: ticketIn });
