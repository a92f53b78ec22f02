import { expect, it } from 'vitest';
import { BatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import { EMPTY, parseForm, type SessionRequest } from './form.ts';
import { SessionStart } from './start-session.ts';

const wantedOf = (name: string, more: object = {}): SessionRequest => {
  const parsed = parseForm({ ...EMPTY, message: 'Hello.', ...more }, name);
  if ('wrong' in parsed) throw new Error('not a form');
  return parsed.request;
};

/**
 * A server whose next calls fail as scripted; if only the response is lost, the session is created.
 */
function server() {
  const made: string[] = [];
  const messages = new Map<string, string>();
  const rules: object[] = [];
  const trouble: { create: (BatonError | 'lost')[]; send: (BatonError | 'lost')[] } = {
    create: [],
    send: [],
  };
  const lost = new BatonError('server_unreachable');
  const madeAt = new Map<string, string>();
  const sessionOf = (name: string) =>
    ({
      id: `id of ${name}`,
      name,
      level: 'own',
      lastResponse: null,
      unfinishedRuns: 0,
      createdAt: madeAt.get(name) ?? new Date().toISOString(),
    }) as Session;
  const api = {
    createSession: async ({ body }: { body: { name: string } }) => {
      const fails = trouble.create.shift();
      if (fails instanceof BatonError) throw fails;
      if (made.includes(body.name)) throw new BatonError('name_taken');
      made.push(body.name);
      if (fails === 'lost') throw lost;
      return sessionOf(body.name);
    },
    listSessions: async () => ({ items: made.map(sessionOf), nextCursor: null }),
    putSessionRules: async ({ body }: { body: object }) => rules.push(body),
    sendMessage: async (
      { params, body }: { params: { id: string }; body: { message: string } },
      { idempotencyKey }: { idempotencyKey: string },
    ) => {
      const fails = trouble.send.shift();
      if (fails instanceof BatonError) throw fails;
      messages.set(`${params.id} ${idempotencyKey}`, body.message);
      if (fails === 'lost') throw lost;
    },
  };
  let keys = 0;
  const start = () =>
    new SessionStart(api as unknown as ConstructorParameters<typeof SessionStart>[0], () =>
      String(++keys),
    );
  return { made, madeAt, messages, rules, trouble, start };
}

it('[C2] [Q10] a session, its rules, its first message', async () => {
  const { made, messages, rules, start } = server();
  await start().go(wantedOf('one', { deny: 'Write' }), false);
  expect(made).toEqual(['one']);
  expect(rules).toEqual([{ allow: [], ask: [], deny: ['Write'] }]);
  expect([...messages]).toEqual([['id of one 1', 'Hello.']]);
});

it('[C2] a lost response creates no second session and no second run', async () => {
  const { made, messages, trouble, start } = server();
  trouble.create.push('lost');
  trouble.send.push('lost');
  const it = start();
  await expect(it.go(wantedOf('one'), false)).rejects.toThrow();
  expect(it.session).toBeNull();
  await expect(it.go(wantedOf('one'), false)).rejects.toThrow();
  expect(it.session?.name).toBe('one');
  await it.go(wantedOf('one'), false);
  expect(made).toEqual(['one']);
  expect(messages.size).toBe(1);
});

it('[C2] an older session of the same name is not mistaken for the new one', async () => {
  const { made, madeAt, messages, trouble, start } = server();
  made.push('one');
  // Refused, so nothing was created.
  trouble.create.push(new BatonError('rate_limited'));
  const refused = start();
  await expect(refused.go(wantedOf('one'), false)).rejects.toThrow();
  await expect(refused.go(wantedOf('one'), false)).rejects.toMatchObject({ code: 'name_taken' });
  // The outcome is unknown, but the session of this name is older.
  madeAt.set('one', '2020-01-01T00:00:00.000Z');
  trouble.create.push(new BatonError('server_unreachable'));
  const unsure = start();
  await expect(unsure.go(wantedOf('one'), false)).rejects.toThrow();
  await expect(unsure.go(wantedOf('one'), false)).rejects.toMatchObject({ code: 'name_taken' });
  expect(messages.size).toBe(0);
});

it('[S9] a chosen name is refused if taken, a generated one gets a number', async () => {
  const { made, start } = server();
  made.push('one', 'one 2');
  await expect(start().go(wantedOf('one'), false)).rejects.toMatchObject({ code: 'name_taken' });
  expect((await start().go(wantedOf('one'), true)).name).toBe('one 3');
});

it('[P3] after a refusal, the next message goes to the same session', async () => {
  const { made, messages, trouble, start } = server();
  trouble.send.push(new BatonError('policy_denied'));
  const it = start();
  await expect(it.go(wantedOf('one', { message: 'rm -rf /' }), false)).rejects.toMatchObject({
    code: 'policy_denied',
  });
  await it.go(wantedOf('two', { message: 'ls' }), false);
  expect(made).toEqual(['one']);
  expect([...messages]).toEqual([['id of one 2', 'ls']]);
});
