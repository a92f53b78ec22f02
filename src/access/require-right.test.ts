import { expect, test } from 'vitest';
import type { Right } from '../contract/access.ts';
import { type Endpoint, endpoint } from '../contract/api/endpoint.ts';
import type { Api } from '../server/route.ts';
import type { Services } from '../server/services.ts';
import { type Authorised, may, type Principal } from './principal.ts';
import { requireRight } from './require-right.ts';

/*
 * That services are called only after the check is proved by the compiler: each line below
 * `@ts-expect-error` must fail to compile.
 */

const OPERATION = { path: '/api/v1/test/{id}', summary: 'Test', group: 'Test' } as const;
const MESSAGE = { message: 'echo', onBusy: 'enqueue' } as const;
const NO_RULES = { allow: [], ask: [], deny: [] };
const anyEndpoint: Endpoint = endpoint({ ...OPERATION, method: 'GET' });
const viewer: Principal = { userId: 'hanako', role: 'viewer', channel: 'line' };

test('[X2] a check gives the right it checked, and refuses without it', () => {
  const by: Principal = { ...viewer, role: 'operator' };
  requireRight(by, 'run');
  const checked: Authorised<'run'> = by;
  expect(checked).toBe(by);
  expect(() => requireRight(viewer, 'run')).toThrow('your role (viewer) does not have it');
  const scoped: Principal = { ...by, scopes: ['read'] };
  expect(() => requireRight(scoped, 'run')).toThrow('this credential does not');
});

test('[X2] a service cannot be called without the check', () => {
  const inProcess = ({ messages, rules }: Services, by: Principal): void => {
    // @ts-expect-error nothing was checked
    void messages.send(by, 'id', MESSAGE, null);
    requireRight(by, 'read');
    // @ts-expect-error another right was checked
    void messages.send(by, 'id', MESSAGE, null);
    requireRight(by, 'run');
    void messages.send(by, 'id', MESSAGE, null);
    void rules.putForSession(by, 'id', NO_RULES);
    // @ts-expect-error the rules of all are for administrators
    void rules.put(by, { scope: 'global' }, NO_RULES);
  };
  expect(inProcess).toBeTypeOf('function');
});

test('[X2] the check of one of several rights proves none of them', () => {
  const oneOf = ({ users }: Services, by: Principal, right: Right): void => {
    // @ts-expect-error which right was checked?
    void (may(by, right) ? users.list(by, {}) : null);
    requireRight(by, right);
    // @ts-expect-error which right was checked?
    void users.update(by, 'id', { role: 'admin' });
    requireRight(by, 'admin');
    void users.update(by, 'id', { role: 'admin' });
  };
  const runOrAdmin = ({ messages, users }: Services, by: Principal, isRun: boolean): void => {
    requireRight(by, isRun ? 'run' : 'admin');
    // @ts-expect-error it may have been `admin`
    void messages.send(by, 'id', MESSAGE, null);
    // @ts-expect-error it may have been `run`
    void users.list(by, {});
  };
  expect([oneOf, runOrAdmin]).toEqual([expect.any(Function), expect.any(Function)]);
});

test('[X2] an endpoint cannot require less than the services it calls', () => {
  const addRoutes = ({ add }: Api, { messages, hosts, logs }: Services): void => {
    add(endpoint({ ...OPERATION, method: 'POST' }), async ({ by }) => {
      await messages.send(by, 'id', MESSAGE, null);
      // @ts-expect-error it requires only `run`
      await hosts.move(by, 'id', { host: 'other' });
      // @ts-expect-error it does not require `read`
      await logs.ofSession(by, 'id');
    });
    add(endpoint({ ...OPERATION, method: 'POST', reads: true }), async ({ by }) => {
      await messages.send(by, 'id', MESSAGE, null);
      await logs.ofSession(by, 'id');
    });
    add(endpoint({ ...OPERATION, method: 'GET' }), async ({ by }) => {
      await logs.ofSession(by, 'id');
      // @ts-expect-error it requires only `read`
      await messages.send(by, 'id', MESSAGE, null);
    });
    add(endpoint({ ...OPERATION, method: 'GET', needs: 'run' }), async ({ by }) => {
      await messages.send(by, 'id', MESSAGE, null);
    });
    add(anyEndpoint, async ({ by }) => {
      // @ts-expect-error it requires one of the rights, but which?
      await logs.ofSession(by, 'id');
    });
  };
  expect(addRoutes).toBeTypeOf('function');
});
