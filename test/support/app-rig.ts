import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type AppOptions, createApp } from '../../src/server/app.ts';
import { adminToken } from '../../src/server/request-authenticator.ts';

export const TOKEN = 'a-token-for-tests';

/** The HTTP app alone: requests that pass it reach a database that is not open. */
export function appRig(options: Partial<AppOptions> = {}) {
  const app = createApp({
    log: pino({ level: 'silent' }),
    ready: async () => ({}),
    auth: adminToken(TOKEN),
    checkAnswers: true,
    ...options,
  });
  onTestFinished(() => app.close());
  const ask = ({ headers, ...request }: InjectOptions) =>
    app.inject({ ...request, headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  return {
    app,
    ask,
    get: (url: string) => ask({ method: 'GET', url }),
    /** Sends a body unchanged, as JSON by default. */
    post: (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
      ask({
        method: 'POST',
        url,
        payload: body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}
