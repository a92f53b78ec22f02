import { expect, it } from 'vitest';
import type { AgentProbe } from '../agents/probe.ts';
import { DRIVEN_KINDS } from '../contract/agent-kinds.ts';
import { agentProbes } from './agent-probes.ts';

const good: AgentProbe = {
  version: '2.1.325',
  problem: null,
  fix: null,
  findings: [{ name: 'agent claude', state: 'ok', text: '/bin/claude, 2.1.325' }],
};
const other: AgentProbe = { version: null, problem: null, fix: null, findings: [] };

function rig(results: readonly (AgentProbe | Error)[]) {
  const clock = { now: 0, probes: 0 };
  const agents = agentProbes({
    executes: true,
    now: () => clock.now,
    probe: async (kind) => {
      if (kind !== 'claude') return other;
      const next = results[clock.probes++];
      if (next === undefined || next instanceof Error) throw next ?? new Error('once too often');
      return next;
    },
  });
  return { clock, agents };
}

it('[A1] [A2] agents are probed once for concurrent callers, and again after a while', async () => {
  const { clock, agents } = rig([good, { ...good, version: '2.2.0' }]);
  const [first] = await Promise.all([agents(), agents(), agents()]);
  expect(first?.map(({ kind }) => kind)).toEqual(DRIVEN_KINDS);
  expect(first).toContainEqual({
    kind: 'claude',
    ready: true,
    version: '2.1.325',
    problem: null,
    fix: null,
  });
  expect(clock.probes).toBe(1);
  clock.now = 59_000;
  await agents();
  expect(clock.probes).toBe(1);
  clock.now = 61_000;
  expect((await agents())[0]?.version).toBe('2.2.0');
});

it('[A2] a problem is reported without a path, and probed again soon', async () => {
  const bad: AgentProbe = {
    ...good,
    problem: 'signed_out',
    fix: 'run "claude" as this user and sign in',
  };
  const { clock, agents } = rig([bad, new Error('no more processes'), good]);
  const [claude] = await agents();
  expect(claude).toMatchObject({ ready: false, problem: 'signed_out' });
  expect(JSON.stringify(claude)).not.toContain('/bin/claude');
  clock.now = 6000;
  await expect(agents()).rejects.toThrow('no more processes');
  expect((await agents())[0]?.ready).toBe(true);
});

it('[O2] a node that runs no agents reports them as unknown', async () => {
  const agents = agentProbes({ probe: () => Promise.reject(new Error('probed')), executes: false });
  expect((await agents()).map(({ ready }) => ready)).toEqual(DRIVEN_KINDS.map(() => null));
});
