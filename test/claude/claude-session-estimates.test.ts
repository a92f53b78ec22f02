import { expect, test } from 'vitest';
import type { CostLine } from '../../src/contract/api/cost.ts';
import type { Cost, Invocation } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import type { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import {
  counts,
  crashSetup,
  ended,
  making,
  PATIENCE,
  say,
  untilEvent,
} from './claude-session-rig.ts';

const invocationsOf = async (server: Server, run: string): Promise<Invocation[]> =>
  (await server.call<{ items: Invocation[] }>('GET', `/api/v1/runs/${run}/invocations`)).items;

const costOf = ({ id }: Session, server: Server): Promise<Cost> =>
  server.call('GET', `/api/v1/sessions/${id}/cost`);

test.each(['Claude Code', 'the server'] as const)(
  '[A5] [A6] kill -9 of %s: the usage is estimated, and counts against the budget',
  async (part) => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    await setup.server.call('PUT', `/api/v1/sessions/${session.id}`, { budgetUsd: 1 });
    const usage = { input_tokens: 1_000_000 };
    const run = await say(setup.server, session, [
      { text: 'Half a text.', holdEnd: 'text', usage },
    ]);
    await claude.model.arrived('text');
    // Usage is counted while the agent works, so it survives the agent.
    await until(async () => (await costOf(session, setup.server)).estimatedUsd > 0, PATIENCE);
    await setup.kill();
    claude.model.release('text');

    expect(await ended(setup.server, run)).toMatchObject({
      state: 'failed',
      error: { class: 'budget_reached' },
    });
    expect(claude.starts()).toHaveLength(2);
    const [invocation] = await invocationsOf(setup.server, run);
    const { costUsd = 0, model = '' } = invocation ?? {};
    expect(invocation).toMatchObject({ inputTokens: 1_000_000, costSource: 'estimated' });
    expect(costUsd).toBeGreaterThan(1);
    const cost = await costOf(session, setup.server);
    expect(cost.estimatedUsd).toBeCloseTo(costUsd);
    expect(cost.costUsd).toBeGreaterThan(costUsd);
    expect(cost.models).toMatchObject([
      { model, source: 'estimated' },
      { model, source: 'claude', estimatedUsd: 0 },
    ]);
    for (const by of ['user', 'channel', 'day', 'session']) {
      const path = `/api/v1/cost?by=${by}`;
      const { items } = await setup.server.call<{ items: CostLine[] }>('GET', path);
      expect(items).toMatchObject([
        { costUsd: expect.closeTo(cost.costUsd), estimatedUsd: expect.closeTo(costUsd) },
      ]);
    }
    const logged = (await setup.server.log(session.id)).filter(
      ({ type }) => type === 'agent.usage',
    );
    expect(logged.at(-1)?.payload).toMatchObject({ source: 'estimated', costUsd });
  },
);

test('[A5] SIGTERM of Claude Code: the next reported total corrects the estimate', async () => {
  const setup = await crashSetup('Claude Code');
  const { session, claude, server } = setup;
  await server.call('PUT', `/api/v1/sessions/${session.id}/policy`, { allow: ['Bash'] });
  const run = await say(server, session, [
    { tools: [making('made')], usage: { input_tokens: 7000 } },
    { text: 'Made it.', holdEnd: 'word', usage: { input_tokens: 5000 } },
  ]);
  await claude.model.arrived('word');
  await untilEvent(server, session, 'agent.tool_result');
  const estimated = async (): Promise<Invocation | undefined> =>
    (await invocationsOf(server, run)).find(({ inputTokens }) => inputTokens === 12_000);
  await until(async () => (await estimated()) !== undefined, PATIENCE);
  expect(await estimated()).toMatchObject({ costSource: 'estimated' });
  process.kill(claude.starts().at(-1)!.pid, 'SIGTERM');
  await untilEvent(server, session, 'agent.usage', ({ source }) => source === 'estimated');
  claude.model.release('word');
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded', ...counts('Claude Code') });

  // Claude Code's total includes the complete answer, but not the interrupted one.
  const [first, second] = await invocationsOf(server, run);
  expect(first).toMatchObject({ exitCode: 143, inputTokens: 7000, costSource: 'claude' });
  expect(second).toMatchObject({ inputTokens: 12_000, costSource: 'claude' });
  expect(await costOf(session, server)).toMatchObject({ estimatedUsd: 0, inputTokens: 19_010 });
});
