import { expect, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { until } from '../../test/support/until.ts';
import { listen } from './listen.ts';
import { STREAM_LIMITS } from './streams/open-streams.ts';
import { SseSink } from './streams/sse-sink.ts';

test('[O4] a stream is not among the requests, whose time would be how long it was open', async () => {
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
