import { expect, test } from 'vitest';
import { peopleOf } from '../../../test/support/authenticator-rig.ts';
import { SseReader } from '../../../test/support/sse-reader.ts';
import { ADMIN, type StreamRigOptions, streamRig } from '../../../test/support/stream-rig.ts';
import { until } from '../../../test/support/until.ts';
import { WsReader } from '../../../test/support/ws-reader.ts';
import { BatonError } from '../../contract/errors.ts';

/** Two users with a stream on one session: one of them is about to lose access. */
async function twoReaders(options: StreamRigOptions = {}) {
  const rig = await streamRig(options);
  const people = peopleOf(rig.store);
  const id = await rig.session(1);
  const [hanako, taro] = [await people.user('hanako'), await people.user('taro')];
  const shares = [hanako, taro].map(({ name }) => ({ user: name, level: 'view' as const }));
  await rig.services.shares.put(ADMIN, id, { shares });
  const tokens = { hanako: await people.token(hanako.id), taro: await people.token(taro.id) };
  const as = (who: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[who].token}` });
  const path = `/api/v1/sessions/${id}/events`;
  const follow = async (who: keyof typeof tokens, at = path) =>
    new SseReader(await rig.get(at, as(who)));
  const ws = (who: keyof typeof tokens) =>
    new WsReader(`${rig.url}/ws/sessions/${id}`, as(who)).open();
  const status = async (who: keyof typeof tokens) =>
    (await rig.get(`${path}?follow=false`, as(who))).status;
  return { rig, id, hanako, tokens, follow, ws, status };
}

test('[X2] a revoked token ends its own streams at once, and no others', async () => {
  const { rig, id, tokens, follow, ws, status } = await twoReaders();
  const mine = [await follow('hanako'), await follow('hanako', '/api/v1/events')];
  const socket = await ws('hanako');
  const other = await follow('taro');
  await rig.store.revokeToken(tokens.hanako.id);
  for (const reader of mine) {
    await reader.end();
    expect(reader.comments.at(-1)).toBe('refused');
  }
  expect(await socket.end()).toEqual([1008, 'refused']);
  expect(await status('hanako')).toBe(401);
  await rig.note(id, 'still here');
  expect(await other.until(({ messages }) => messages.length === 2)).toBe(true);
  await other.stop();
});

test('[X2] a revoked token ends its streams, and not those of the same user with another token', async () => {
  const { rig, id, hanako, tokens, follow } = await twoReaders();
  const { token } = await peopleOf(rig.store).token(hanako.id);
  const path = `/api/v1/sessions/${id}/events`;
  const kept = new SseReader(await rig.get(path, { authorization: `Bearer ${token}` }));
  const lost = await follow('hanako');
  await rig.store.revokeToken(tokens.hanako.id);
  await lost.end();
  expect(lost.comments.at(-1)).toBe('refused');
  await rig.note(id, 'still here');
  expect(await kept.until(({ messages }) => messages.length === 2)).toBe(true);
  await kept.stop();
});

test('[X3] a removed share ends the streams on that session', async () => {
  const { rig, id, follow, status } = await twoReaders();
  const lost = await follow('hanako');
  const hints = await follow('hanako', '/api/v1/events');
  const kept = await follow('taro');
  await rig.services.shares.put(ADMIN, id, { shares: [{ user: 'taro', level: 'view' }] });
  await lost.end();
  expect(lost.comments.at(-1)).toBe('refused');
  expect(await status('hanako')).toBe(404);
  await until(() => rig.streams.count === 2);
  await kept.stop();
  await hints.stop();
});

test.each([
  ['disabled', { disabled: true }, 401],
  ['given another role', { role: 'viewer' }, 200],
] as const)('[X2] the streams of a user who is %s end', async (_what, change, then) => {
  const { rig, hanako, follow, status } = await twoReaders();
  const reader = await follow('hanako', '/api/v1/events');
  await rig.store.updateUser(hanako.id, change);
  await reader.end();
  expect(reader.comments.at(-1)).toBe('refused');
  expect(await status('hanako')).toBe(then);
});

test('[X2] without a hint, streams end at the next ping', async () => {
  const { rig, tokens, follow } = await twoReaders({ deaf: true, limits: { pingMs: 50 } });
  const reader = await follow('hanako');
  await rig.store.revokeToken(tokens.hanako.id);
  await reader.end();
  expect(reader.comments.at(-1)).toBe('refused');
});

test('[X2] a stream that is opened while its token is revoked ends, too', async () => {
  const { rig, tokens, follow, ws } = await twoReaders({ limits: { pingMs: 600_000 } });
  const { connect } = rig.services.logs;
  // Already authenticated, but not yet among the open streams.
  rig.services.logs.connect = async (...args) => {
    await rig.store.revokeToken(tokens.hanako.id);
    return connect(...args);
  };
  const reader = await follow('hanako');
  await reader.end();
  expect(reader.comments.at(-1)).toBe('refused');
  rig.services.logs.connect = async (...args) => {
    await rig.store.revokeToken(tokens.taro.id);
    return connect(...args);
  };
  expect(await (await ws('taro')).end()).toEqual([1008, 'refused']);
  await until(() => rig.streams.count === 0 && rig.connected() === 0);
});

test('[O5] no stream ends because the database is away', async () => {
  const { rig, id, follow } = await twoReaders();
  const reader = await follow('hanako');
  rig.authenticator.recheck = async () => {
    throw new BatonError('database_unreachable');
  };
  await rig.streams.recheckAccess();
  expect(rig.streams.count).toBe(1);
  await rig.note(id, 'still here');
  expect(await reader.until(({ messages }) => messages.length === 2)).toBe(true);
  await reader.stop();
});
