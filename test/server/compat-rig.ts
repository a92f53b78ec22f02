import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { close, listen } from '../../src/server/listen.ts';
import { adminToken } from '../../src/server/request-authenticator.ts';
import { registerStreams } from '../../src/server/streams/register.ts';
import { serviceRig } from '../support/service-rig.ts';
import { SseReader } from '../support/sse-reader.ts';
import { until } from '../support/until.ts';

const TOKEN = 'a-token-for-tests';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The whole API on a socket, with sessions whose shell agent really runs. */
export async function compatRig({ streamsPerUser = 100, executes = true } = {}) {
  const rig = await serviceRig({ executes });
  const auth = adminToken(TOKEN);
  const app = createApp({
    log: pino({ level: 'silent' }),
    ready: async () => ({}),
    services: () => rig.services,
    auth,
    checkAnswers: true,
    routes: [
      (api, services) =>
        void registerStreams(api, services, { auth, limits: { perUser: streamsPerUser } }),
    ],
  });
  const url = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => close(app, 1000));

  const open = (
    method: Method,
    path: string,
    body?: object,
    more: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(more.signal === undefined ? {} : { signal: more.signal }),
    });
  return {
    ...rig,
    open,
    /** The status and body of a response. */
    async ask(method: Method, path: string, body?: object, headers = {}) {
      const answer = await open(method, path, body, { headers });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    async stream(path: string, headers = {}) {
      return new SseReader(await open('GET', path, undefined, { headers }));
    },
    /** A ready session with a shell agent. */
    async ready(name: string, more: object = {}): Promise<string> {
      const { id } = await rig.session(name, more);
      await until(async () => (await rig.store.getSession(id))?.session.status === 'ACTIVE');
      return id;
    },
  };
}

export const ABSENT = '0190a1b2-0000-7000-8000-000000000000';

export const error = (code: string, status: number) => ({
  status,
  body: { error: { code, status, message: expect.any(String) }, meta: expect.any(Object) },
});
