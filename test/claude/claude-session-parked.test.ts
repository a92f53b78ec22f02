import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OLDEST_VERSION } from '../../src/agents/claude/version.ts';
import { TIMEOUTS } from '../../src/agents/timeouts.ts';
import type { Approval } from '../../src/contract/approval.ts';
import { scripted } from '../model-server/script.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { ADMIN, type ServiceRig, serviceRig } from '../support/service-rig.ts';
import { until } from '../support/until.ts';
import { claudeServerRig, making, PATIENCE } from './claude-session-rig.ts';

async function open({ services }: ServiceRig, sessionId: string): Promise<Approval> {
  const pending = async (): Promise<Approval | undefined> =>
    (await services.approvals.list(ADMIN, { sessionId, state: 'pending' })).items[0];
  await until(async () => (await pending()) !== undefined, PATIENCE);
  return (await pending()) as Approval;
}

async function parkings({ store }: ServiceRig, sessionId: string): Promise<boolean[]> {
  const events = await store.listAfter(sessionId, 0, 1000);
  return events.flatMap(({ type, payload }) =>
    type === 'run.waiting' ? [(payload as { parked: boolean }).parked] : [],
  );
}

const allow = { decision: 'allow', scope: 'once' } as const;

test('[A7] a long wait for an answer stops the process without counting an attempt, and the answer resumes the run', async () => {
  const claude = await claudeServerRig();
  const rig = await serviceRig({
    parkMs: 500,
    claudePath: claude.program,
    environment: { ...claude.agentEnv, HOME: claude.home },
  });
  const { id } = await rig.session('parked', {
    agent: { kind: 'claude' },
    workspace: { provider: 'directory', path: claude.work },
  });
  const steps = [{ tools: [making('made')] }, { text: 'Made.', results: [{}] }];
  const run = await rig.send(id, scripted(steps));
  const question = await open(rig, id);
  await until(async () => (await parkings(rig, id)).includes(true), PATIENCE);
  expect(claude.left()).toEqual([]);
  const parked = await rig.services.runs.get(ADMIN, run);
  expect(parked).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0, error: null });
  expect(rig.worker.executing).toBe(0);

  await rig.services.approvals.decide(ADMIN, question.id, allow);
  await until(async () => (await rig.services.runs.get(ADMIN, run)).finishedAt !== null, PATIENCE);
  const finished = await rig.services.runs.get(ADMIN, run);
  expect(finished).toMatchObject({ state: 'succeeded', attempts: 1, crashes: 0 });
  expect(existsSync(join(claude.work, 'made'))).toBe(true);
  const all = await rig.services.approvals.list(ADMIN, { sessionId: id });
  expect(all.items.map(({ state }) => state)).toEqual(['allowed']);
});

test('[A8] [A7] the silence of an agent that waits for an answer is no timeout', async () => {
  const silenceMs = 1500;
  const rig = await serviceRig({
    claudePath: asking(),
    // Later than the silence limit: the run ends by whichever comes first.
    parkMs: 2 * silenceMs,
    timeouts: { ...TIMEOUTS, silenceMs },
  });
  const { id } = await rig.session('silent', { agent: { kind: 'claude' } });
  const run = await rig.send(id, 'hello');
  await open(rig, id);
  await until(async () => (await parkings(rig, id)).includes(true), PATIENCE);
  const parked = await rig.services.runs.get(ADMIN, run);
  expect(parked).toMatchObject({ state: 'waiting', attempts: 0, error: null });
});

/** Like Claude Code with a question, but without its slow start. */
function asking(): string {
  const input = { command: 'make it' };
  const session_id = 'c0ffee00-0000-4000-8000-000000000000';
  const lines = [
    { type: 'system', subtype: 'init', session_id, claude_code_version: OLDEST_VERSION },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'call', name: 'Bash', input }] },
    },
    {
      type: 'control_request',
      request_id: 'question',
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: 'call' },
    },
  ].map((line) => `echo '${JSON.stringify(line)}'`);
  const path = join(temporaryDirectory(), 'claude');
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\nexec cat > /dev/null\n`, { mode: 0o755 });
  return path;
}
