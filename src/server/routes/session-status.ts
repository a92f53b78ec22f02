import type { Api } from '../route.ts';

export const STATUS_PATH = '/api/v1/sessions/{id}/status';

/** The only error without the usual shape (S2). */
export const STATUS_REFUSAL = {
  error: 'Status updates are not allowed',
  message: 'Session status is managed automatically by the system',
};

/** Clients can never set the status, whatever the session or the body. */
export function refuseStatusUpdates({ app }: Api): void {
  app.put(
    STATUS_PATH.replace('{id}', ':id'),
    { config: { pattern: STATUS_PATH, needs: 'run' } },
    async (_request, reply) => reply.code(403).send(STATUS_REFUSAL),
  );
}
