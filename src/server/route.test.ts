import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN } from '../../test/support/service-rig.ts';
import { accessEndpoints } from '../contract/api/access.ts';
import { createApi } from './route.ts';

test('[H9] reads of one user let other work continue before each of them', async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.decorateRequest('principal', null).decorateRequest('forwarded', null);
  app.addHook('onRequest', async (request) => {
    request.principal = ADMIN;
  });
  const options = { forwarder: null, servesApi: true, checkAnswers: false };
  const api = createApi(app, { ...options, services: () => ({ hosts: undefined as never }) });
  let [now, most] = [0, 0];
  api.add(accessEndpoints.getMe, async () => {
    most = Math.max(most, ++now);
    setImmediate(() => {
      now = 0;
    });
    return undefined as never;
  });
  const url = accessEndpoints.getMe.path;
  await Promise.all(Array.from({ length: 20 }, () => app.inject({ url })));
  // The count may be reset just after the next read.
  expect(most).toBeLessThanOrEqual(2);
});
