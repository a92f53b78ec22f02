import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { CostLine } from '../../src/contract/api/cost.ts';
import type { Cost } from '../../src/contract/run-view.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { admission } from '../../src/queue/conformance/rig.ts';
import { invocation, newSessionOf } from '../../src/sessions/conformance/rig.ts';
import { sqliteStore } from '../../src/storage/sqlite/store.ts';
import { root } from '../support/processes.ts';
import { Desk, ended } from './cli-rig.ts';
import { commandsInOneProcess } from './command-host.ts';

// Many commands, each a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });
commandsInOneProcess();

const DAY = 86_400_000;
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A server whose database has costs of today and of ten days ago. */
async function rig() {
  const desk = new Desk();
  mkdirSync(desk.dataDir, { mode: 0o700 });
  const store = await sqliteStore({ path: join(desk.dataDir, 'baton.db') });
  const now = Date.now();
  const made = { ...newSessionOf(newId(), 'fix login'), ownerId: 'admin', budgetUsd: 5 };
  await store.createSession(made);
  // Held, so that its run does not start.
  await store.changeSession(made.id, { do: 'hold' });
  const sent = { sessionId: made.id, original: null, queueMax: 10 };
  const { receipt } = await store.sendMessage({ ...sent, admission: admission({ type: 'agent' }) });
  const put = (costUsd: number, model: string, finishedAt: number) =>
    store.putInvocation(
      invocation(made.id, receipt.id, {
        ...{ costUsd, model, finishedAt, costSource: 'claude', userId: 'admin', channel: 'cli' },
        ...{ inputTokens: 1200, outputTokens: 34, cacheReadTokens: 5, cacheCreationTokens: 6 },
      }),
    );
  await put(0.5, 'sonnet', now);
  await put(0.25, 'haiku', now);
  await put(1, 'sonnet', now - 10 * DAY);
  await store.close();
  await desk.server();
  return { desk, now, id: made.id };
}

test('[A5] [C1] costs by day and by other keys, of a period and of a session', async () => {
  const { desk, now, id } = await rig();
  const rows = async (...args: string[]) => {
    const { code, stdout, stderr } = await desk.done(['cost', ...args]);
    expect([args, code, stderr]).toEqual([args, 0, '']);
    return linesOf(stdout).map((line) => line.split('\t').slice(0, 2));
  };
  expect(await rows()).toEqual([
    [dayOf(now - 10 * DAY), '1'],
    [dayOf(now), '0.75'],
  ]);
  expect(await rows('--from', '7d')).toEqual([[dayOf(now), '0.75']]);
  expect(await rows('--to', '7d')).toEqual([[dayOf(now - 10 * DAY), '1']]);
  for (const [by, key] of [
    ['user', 'admin'],
    ['channel', 'cli'],
    ['session', id],
  ] as const) {
    expect(await rows('--by', by)).toEqual([[key, '1.75']]);
  }
  const models = [
    ['sonnet', '1.5'],
    ['haiku', '0.25'],
  ];
  expect(await rows('--by', 'model')).toEqual(models);
  expect(await rows('fix login')).toEqual(models);

  const [today] = await desk.json<CostLine[]>(['cost', '--from', '7d']);
  expect(today).toEqual({
    key: dayOf(now),
    costUsd: 0.75,
    estimatedUsd: 0,
    inputTokens: 2400,
    outputTokens: 68,
    cacheCreationTokens: 12,
    cacheReadTokens: 10,
    invocations: 2,
  });
  const session = await desk.json<Cost>(['cost', 'fix login']);
  expect(session).toMatchObject({ sessionId: id, costUsd: 1.75, budgetUsd: 5, invocations: 3 });
  expect(session.models.map(({ model, source }) => [model, source])).toEqual([
    ['sonnet', 'claude'],
    ['haiku', 'claude'],
  ]);
});

test('[C1] wrong usage of cost is refused, and the commands of docs/cli.md about costs run unchanged', async () => {
  const { desk } = await rig();
  for (const [args, words] of [
    [
      ['cost', 'fix login', '--by', 'day'],
      '--by, --from and --to cannot be combined with a session.',
    ],
    [['cost', 'a', 'b'], 'Unexpected argument: "b".'],
    [['cost', 'nothing'], 'There is no session "nothing".'],
    [['cost', '--by', 'colour'], '--by has an invalid value: "colour".'],
    [['cost', '--from', '2001-01-01'], 'One request can cover at most 366 days.'],
  ] as const) {
    const { code, stdout, stderr } = await desk.done([...args]);
    expect([args, code, stdout, linesOf(stderr)[0]]).toEqual([args, 2, '', `error: ${words}`]);
  }
  const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
  const [, script = ''] = /^## Cost\n.*?^```sh\n(.*?)^```/ms.exec(page) ?? [];
  expect(linesOf(script).length).toBeGreaterThan(3);
  const { code, stdout, stderr } = await ended(desk.shell(`set -eu\n${script}`));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('sonnet\t1.5\t2400\t');
});
