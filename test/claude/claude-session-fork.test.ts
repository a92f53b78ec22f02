import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { casesOf } from '../support/depth.ts';
import type { Server } from '../support/server-rig.ts';
import {
  answer,
  asked,
  type ClaudeServerRig,
  claudeServerRig,
  counts,
  crashSetup,
  done,
  ended,
  FIRST,
  say,
  untilEvent,
} from './claude-session-rig.ts';

const forkOf = (server: Server, session: Session, name = 'a fork'): Promise<Session> =>
  server.call('POST', `/api/v1/sessions/${session.id}/fork`, { name });

const lastConversation = (claude: ClaudeServerRig): string =>
  claude.starts().at(-1)?.conversation ?? '';

/** Executes a run of the session; returns its conversation. */
async function doneIn(claude: ClaudeServerRig, server: Server, session: Session, text: string) {
  await done(server, session, [{ text }]);
  return lastConversation(claude);
}

/** The words among these that the last request to the model contained. */
const shownOf = (claude: ClaudeServerRig, words: readonly string[]): string[] =>
  words.filter((word) => claude.shown().includes(word));

const WORDS = ['banana', 'cherry', 'damson', 'medlar', 'quince'];

const isShared = (claude: ClaudeServerRig): object => ({ path: claude.work });
const isOwn = (): object => ({});

describe('[S10] a fork of a Claude session', () => {
  const inOriginal = ['in the directory of the original', isShared] as const;
  const inOwn = ['in a directory of its own', isOwn] as const;
  test.each(casesOf([inOriginal, inOwn], [inOriginal]))(
    '%s has a conversation of its own, a copy as of the fork',
    async (_, workspaceOptions) => {
      const claude = await claudeServerRig();
      const server = await claude.server();
      const workspace = { provider: 'directory', ...workspaceOptions(claude) };
      const original = await claude.session(server, 'an original', { workspace });
      const first = await doneIn(claude, server, original, 'The word is banana.');
      const fork = await forkOf(server, original);
      expect(fork.forkedFrom).toBe(original.id);
      // The original continues before the fork has begun.
      expect(await doneIn(claude, server, original, 'The word is cherry.')).toBe(first);
      const before = claude.transcript(first);

      const second = await doneIn(claude, server, fork, 'The word is damson.');
      expect(shownOf(claude, WORDS)).toEqual(['banana', 'damson']);
      expect(second).not.toBe(first);
      expect(claude.transcript(first)).toEqual(before);

      // Each continues on its own.
      expect(await doneIn(claude, server, original, 'The word is medlar.')).toBe(first);
      expect(shownOf(claude, WORDS)).toEqual(['banana', 'cherry', 'medlar']);
      expect(await doneIn(claude, server, fork, 'The word is quince.')).toBe(second);
      expect(shownOf(claude, WORDS)).toEqual(['banana', 'damson', 'quince']);
    },
  );

  test('begins while the original is at work, as it was before that', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const original = await claude.session(server);
    const first = await doneIn(claude, server, original, 'The word is banana.');
    const busy = await say(server, original, [{ text: 'The word is cherry.', holdEnd: 'busy' }]);
    await claude.model.arrived('busy');
    const fork = await forkOf(server, original);
    expect(await doneIn(claude, server, fork, 'The word is damson.')).not.toBe(first);
    expect(shownOf(claude, WORDS)).toEqual(['banana', 'damson']);
    claude.model.release('busy');
    expect((await ended(server, busy)).state).toBe('succeeded');
  });

  test('of a fork that has not begun starts where that one would', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const original = await claude.session(server);
    const first = await doneIn(claude, server, original, 'The word is banana.');
    const fork = await forkOf(server, await forkOf(server, original), 'a fork of a fork');
    expect(await doneIn(claude, server, fork, 'The word is cherry.')).not.toBe(first);
    expect(shownOf(claude, WORDS)).toEqual(['banana', 'cherry']);
  });

  test('[A3] whose original is lost reports that, and a retry starts over', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const original = await claude.session(server);
    await done(server, original, [{ text: 'The word is banana.' }]);
    const fork = await forkOf(server, original);
    claude.forget(lastConversation(claude));
    const run = await ended(server, await say(server, fork, [{ text: 'The word is cherry.' }]));
    expect(run).toMatchObject({ state: 'failed', error: { class: 'conversation_lost' } });
    const retry = await server.call<{ id: string }>('POST', `/api/v1/runs/${run.id}/retry`);
    expect((await ended(server, retry.id)).state).toBe('succeeded');
    expect(shownOf(claude, WORDS)).toEqual(['cherry']);
  });
});

describe('[S10] [A3] kill -9 in the first run of a fork', () => {
  test.each(casesOf(['Claude Code', 'the server'], ['the server']))(
    'of %s before it has done anything: it is forked again',
    async (part) => {
      const setup = await crashSetup(part);
      const { claude } = setup;
      const first = lastConversation(claude);
      const before = claude.transcript(first);
      const fork = await forkOf(setup.server, setup.session);
      const run = await say(setup.server, fork, [{ text: 'The word is cherry.', holdEnd: 'here' }]);
      await claude.model.arrived('here');
      await untilEvent(setup.server, fork, 'agent.init');
      await setup.kill();
      claude.model.release('here');
      expect(await ended(setup.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
      const conversation = lastConversation(claude);
      expect(shownOf(claude, [FIRST, 'cherry'])).toEqual([FIRST, 'cherry']);
      expect(conversation).not.toBe(first);
      expect(await doneIn(claude, setup.server, fork, 'The word is damson.')).toBe(conversation);
      expect(claude.transcript(first)).toEqual(before);
      expect(await doneIn(claude, setup.server, setup.session, 'The word is medlar.')).toBe(first);
      expect(shownOf(claude, WORDS)).toEqual(['banana', 'medlar']);
    },
  );

  test.each(casesOf(['Claude Code', 'the worker'], ['Claude Code']))(
    'of %s while a tool writes: it continues in its own conversation',
    async (part) => {
      const setup = await crashSetup(part);
      const { claude } = setup;
      const first = lastConversation(claude);
      const before = claude.transcript(first);
      const fork = await forkOf(setup.server, setup.session);
      const gate = claude.gate();
      const run = await say(setup.server, fork, [
        { tools: [gate.call] },
        { text: 'The word is cherry.', results: [{ includes: 'released' }] },
      ]);
      await answer(setup.server, await asked(setup.server, fork, run), { decision: 'allow' });
      await gate.begun(1);
      const own = lastConversation(claude);
      expect(own).not.toBe(first);
      await setup.kill();
      await gate.begun(2);
      gate.release();
      expect(await ended(setup.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
      expect(await doneIn(claude, setup.server, fork, 'The word is damson.')).toBe(own);
      expect(shownOf(claude, WORDS)).toEqual(['banana', 'cherry', 'damson']);
      expect(claude.transcript(first)).toEqual(before);
    },
  );
});
