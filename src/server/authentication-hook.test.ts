import { expect, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { StoreAuthenticator } from '../access/store-authenticator.ts';
import { requestAuthenticator } from './request-authenticator.ts';

test('[X2] a caller whose access changes right after authentication is checked again', async () => {
  const authenticator = new StoreAuthenticator({ adminToken: TOKEN });
  const listeners = new Set<() => void>();
  authenticator.onChange = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  authenticator.recheck = async () => null;
  const { app, post } = appRig({ auth: requestAuthenticator(authenticator) });
  let changes = false;
  // While the body arrives.
  app.addHook('preParsing', async () => {
    if (changes) for (const listener of listeners) listener();
  });
  expect((await post('/api/v1/nothing', '{}')).statusCode).toBe(404);
  changes = true;
  expect((await post('/api/v1/nothing', '{}')).statusCode).toBe(401);
});
