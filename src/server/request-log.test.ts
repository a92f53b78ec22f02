import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { until } from '../../test/support/until.ts';
import { listen } from './listen.ts';
import { STREAM_LIMITS } from './streams/open-streams.ts';
import { SseSink } from './streams/sse-sink.ts';

test('[O4] a stream is not counted among requests, because its duration is how long it was open', async () => {
  const counted: string[] = [];
  const { app } = appRig({
    metrics: {
      request: (route) => counted.push(route),
      refused: () => {},
      text: async () => '',
    },
    routes: [
      ({ app }) => {
        const config = { pattern: '/stream', needs: null };
        app.get('/stream', { config }, (_request, reply) => {
          reply.hijack();
          const sink = new SseSink(reply.raw, STREAM_LIMITS);
          sink.begin({});
          sink.end('done', 0);
        });
      },
    ],
  });
  const url = await listen(app, '127.0.0.1', 0);
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    await answer.text();
    return answer;
  };
  expect((await get('/stream')).headers.get('content-type')).toBe('text/event-stream');
  await get('/healthz');
  await until(() => counted.length > 0);
  expect(counted).toEqual(['/healthz']);
});

test('[O4] strangers do not write the log: their refused requests are one line a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const { app, post } = appRig({ log });
  const authorization = 'Bearer wrong';
  for (let i = 0; i < 20; i++) await post('/api/v1/sessions', '{}', { authorization });
  await post('/sign-in', '{}', { authorization });
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(60_000);
  const msg = 'Refused requests without a valid credential';
  expect(lines).toMatchObject([{ level: 30, msg, byStatus: { 401: 20, 400: 1 } }]);
  // The next minute begins with the next one; a stop does not wait for its end.
  vi.advanceTimersByTime(600_000);
  await post('/hidden', '{}', { authorization });
  await post('/api/v1/sessions', '{}');
  expect(lines).toMatchObject([{ msg }, { msg: 'Request answered', status: 400 }]);
  await app.close();
  expect(lines).toMatchObject([{}, {}, { msg, byStatus: { 401: 1 } }]);
});

test('[O4] strangers who break off a request do not write the log either', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const { app } = appRig({ log });
  const url = await listen(app, '127.0.0.1', 0);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const asked = once(app.server, 'request');
  socket.write('POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{');
  await asked;
  socket.destroy();
  const connections = promisify(app.server.getConnections.bind(app.server));
  await until(async () => (await connections()) === 0);
  await app.close();
  expect(lines.filter(({ msg }) => msg === 'Request answered')).toEqual([]);
  expect(lines).toContainEqual(expect.objectContaining({ byStatus: { aborted: 1 } }));
});
