import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { casesOf } from '../support/depth.ts';
import type { Server } from '../support/server-rig.ts';
import {
  answer,
  asked,
  claudeHouse,
  counts,
  done,
  ended,
  FIRST,
  type House,
  killed,
  say,
  untilTold,
} from './claude-session-rig.ts';

const forkOf = (server: Server, session: Session, name = 'a fork'): Promise<Session> =>
  server.call('POST', `/api/v1/sessions/${session.id}/fork`, { name });

const lastConversation = (house: House): string => house.starts().at(-1)?.conversation ?? '';

/** A run of the session, and the conversation that it ran in. */
async function doneIn(house: House, server: Server, session: Session, text: string) {
  await done(server, session, [{ text }]);
  return lastConversation(house);
}

/** What the model was shown of earlier turns: which of these words. */
const shownOf = (house: House, words: readonly string[]): string[] =>
  words.filter((word) => house.shown().includes(word));

const WORDS = ['banana', 'cherry', 'damson', 'medlar', 'quince'];

const isShared = (house: House): object => ({ path: house.work });
const isOwn = (): object => ({});

describe('[S10] a fork of a Claude session', () => {
  const inOriginal = ['in the directory of the original', isShared] as const;
  const inOwn = ['in a directory of its own', isOwn] as const;
  test.each(casesOf([inOriginal, inOwn], [inOriginal]))(
    '%s has a conversation of its own, a copy as of the fork',
    async (_, place) => {
      const house = await claudeHouse();
      const server = await house.server();
      const workspace = { provider: 'directory', ...place(house) };
      const original = await house.session(server, 'an original', { workspace });
      const first = await doneIn(house, server, original, 'The word is banana.');
      const fork = await forkOf(server, original);
      expect(fork.forkedFrom).toBe(original.id);
      // The original continues before the fork has begun.
      expect(await doneIn(house, server, original, 'The word is cherry.')).toBe(first);
      const before = house.transcript(first);

      const second = await doneIn(house, server, fork, 'The word is damson.');
      expect(shownOf(house, WORDS)).toEqual(['banana', 'damson']);
      expect(second).not.toBe(first);
      expect(house.transcript(first)).toEqual(before);

      // Each continues on its own.
      expect(await doneIn(house, server, original, 'The word is medlar.')).toBe(first);
      expect(shownOf(house, WORDS)).toEqual(['banana', 'cherry', 'medlar']);
      expect(await doneIn(house, server, fork, 'The word is quince.')).toBe(second);
      expect(shownOf(house, WORDS)).toEqual(['banana', 'damson', 'quince']);
    },
  );

  test('begins while the original is at work, as it was before that', async () => {
    const house = await claudeHouse();
    const server = await house.server();
    const original = await house.session(server);
    const first = await doneIn(house, server, original, 'The word is banana.');
    const busy = await say(server, original, [{ text: 'The word is cherry.', holdEnd: 'busy' }]);
    await house.model.arrived('busy');
    const fork = await forkOf(server, original);
    expect(await doneIn(house, server, fork, 'The word is damson.')).not.toBe(first);
    expect(shownOf(house, WORDS)).toEqual(['banana', 'damson']);
    house.model.release('busy');
    expect((await ended(server, busy)).state).toBe('succeeded');
  });

  test('of a fork that has not begun starts where that one would', async () => {
    const house = await claudeHouse();
    const server = await house.server();
    const original = await house.session(server);
    const first = await doneIn(house, server, original, 'The word is banana.');
    const fork = await forkOf(server, await forkOf(server, original), 'a fork of a fork');
    expect(await doneIn(house, server, fork, 'The word is cherry.')).not.toBe(first);
    expect(shownOf(house, WORDS)).toEqual(['banana', 'cherry']);
  });

  test('[A3] whose original is lost reports that, and a retry starts over', async () => {
    const house = await claudeHouse();
    const server = await house.server();
    const original = await house.session(server);
    await done(server, original, [{ text: 'The word is banana.' }]);
    const fork = await forkOf(server, original);
    house.forget(lastConversation(house));
    const run = await ended(server, await say(server, fork, [{ text: 'The word is cherry.' }]));
    expect(run).toMatchObject({ state: 'failed', error: { class: 'conversation_lost' } });
    const retry = await server.call<{ id: string }>('POST', `/api/v1/runs/${run.id}/retry`);
    expect((await ended(server, retry.id)).state).toBe('succeeded');
    expect(shownOf(house, WORDS)).toEqual(['cherry']);
  });
});

describe('[S10] [A3] kill -9 in the first run of a fork', () => {
  test.each(casesOf(['Claude Code', 'the server'], ['the server']))(
    'of %s before it has done anything: it is forked again',
    async (part) => {
      const place = await killed(part);
      const { house } = place;
      const first = lastConversation(house);
      const before = house.transcript(first);
      const fork = await forkOf(place.server, place.session);
      const run = await say(place.server, fork, [{ text: 'The word is cherry.', holdEnd: 'here' }]);
      await house.model.arrived('here');
      await untilTold(place.server, fork, 'agent.init');
      await place.kill();
      house.model.release('here');
      expect(await ended(place.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
      const conversation = lastConversation(house);
      expect(shownOf(house, [FIRST, 'cherry'])).toEqual([FIRST, 'cherry']);
      expect(conversation).not.toBe(first);
      expect(await doneIn(house, place.server, fork, 'The word is damson.')).toBe(conversation);
      expect(house.transcript(first)).toEqual(before);
      expect(await doneIn(house, place.server, place.session, 'The word is medlar.')).toBe(first);
      expect(shownOf(house, WORDS)).toEqual(['banana', 'medlar']);
    },
  );

  test.each(casesOf(['Claude Code', 'the worker'], ['Claude Code']))(
    'of %s while a tool writes: it continues in its own conversation',
    async (part) => {
      const place = await killed(part);
      const { house } = place;
      const first = lastConversation(house);
      const before = house.transcript(first);
      const fork = await forkOf(place.server, place.session);
      const gate = house.gate();
      const run = await say(place.server, fork, [
        { tools: [gate.call] },
        { text: 'The word is cherry.', results: [{ includes: 'let go' }] },
      ]);
      await answer(place.server, await asked(place.server, fork, run), { decision: 'allow' });
      await gate.begun(1);
      const own = lastConversation(house);
      expect(own).not.toBe(first);
      await place.kill();
      await gate.begun(2);
      gate.letGo();
      expect(await ended(place.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
      expect(await doneIn(house, place.server, fork, 'The word is damson.')).toBe(own);
      expect(shownOf(house, WORDS)).toEqual(['banana', 'cherry', 'damson']);
      expect(house.transcript(first)).toEqual(before);
    },
  );
});
