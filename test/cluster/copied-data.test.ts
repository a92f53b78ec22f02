import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { createDatabase } from '../support/postgres.ts';
import { root, start, temporaryDirectory } from '../support/processes.ts';
import { Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Machine } from './machine.ts';

const PATIENCE_MS = 60_000;
const WAITING = 'waiting to see whether it is still running';

/** A database, and a data directory with the key and the host id from a first start. */
async function installation(leaseSeconds = 6) {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const dataDir = temporaryDirectory();
  const env = { BATON_DATABASE_URL: url, BATON_LEASE_SECONDS: String(leaseSeconds) };
  return {
    dataDir,
    up: (machine: Machine, at = dataDir) =>
      Server.start({ dataDir: at, env: { ...env, ...machine.env } }),
    /** The output of a start that fails. */
    refused: async (machine: Machine, at: string): Promise<string> => {
      const args = [join(root, 'bin', 'baton.mjs'), 'up', '--data-dir', at, '--port', '0'];
      const program = start(process.execPath, args, {
        env: { BATON_ADMIN_TOKEN: TOKEN, ...env, ...machine.env },
      });
      expect((await program.exit).code).toBe(1);
      return program.stderr();
    },
  };
}

const ranIn = async (server: Server, id: string): Promise<string> =>
  (await server.finished(await server.send(id, 'pwd'), PATIENCE_MS)).state;

test('[Q23] a second machine refuses a copied data directory until it has its own host id', async () => {
  const { dataDir, up, refused } = await installation();
  const first = await up(new Machine({ hostname: 'first' }));
  const { id } = await first.session('on the first');
  expect(await ranIn(first, id)).toBe('succeeded');

  const copy = temporaryDirectory();
  cpSync(dataDir, copy, { recursive: true });
  const second = new Machine({ hostname: 'second', 'boot-id': randomUUID() });
  const said = await refused(second, copy);
  expect(said).toContain('Another machine is using the host id "first"');
  expect(said).toContain('delete its host-id file or set BATON_HOST_ID');
  expect(said).toContain('host_in_use');
  expect(await ranIn(first, id)).toBe('succeeded');

  rmSync(join(copy, 'host-id'));
  const other = await up(second, copy);
  const nodes = await other.call<{ items: { host: string }[] }>('GET', '/api/v1/nodes');
  expect(nodes.items.map(({ host }) => host).sort()).toEqual(['first', 'second']);
  for (const server of [other, first]) expect(await server.stop()).toBe(0);
}, 120_000);

test('[Q23] [Q7] a machine that reboots within its lease waits for the lease to end, then continues', async () => {
  const { up } = await installation(20);
  const machine = new Machine({ hostname: 'box' });
  const before = await up(machine);
  const { id } = await before.session('over a reboot');
  const cut = await before.send(id, 'sleep 60');
  await before.inState(cut, 'running', PATIENCE_MS);
  await before.kill();
  machine.is({ 'boot-id': randomUUID() });
  const after = await up(machine);
  expect(after.program.stderr()).toContain(WAITING);
  // A run cancelled before its crash is noticed would end without counting it.
  await until(async () => (await after.run(cut)).crashes === 1, { ms: PATIENCE_MS, every: 25 });
  await after.call('POST', `/api/v1/runs/${cut}/cancel`);
  await after.finished(cut, PATIENCE_MS);
  await after.call('POST', `/api/v1/sessions/${id}/resume`);
  expect(await ranIn(after, id)).toBe('succeeded');
  const session = await after.call<Session>('GET', `/api/v1/sessions/${id}`);
  expect(session).toMatchObject({ host: 'box', hostAway: false });
  expect(await after.stop()).toBe(0);
}, 120_000);

test('[Q23] containers on one machine share a data volume, and a recreated one keeps its host id', async () => {
  const { up } = await installation();
  const container = (n: number) =>
    new Machine({ hostname: `c${n}`, 'pid-namespace': `pid:[${n}]` });
  const [one, two] = [await up(container(1)), await up(container(2))];
  const { id } = await one.session('in a container');
  expect(await ranIn(one, id)).toBe('succeeded');
  for (const server of [one, two]) await server.kill();
  const again = await up(container(3));
  expect(again.program.stderr()).not.toContain(WAITING);
  // Their pids mean nothing in this container: it cannot prove their death and waits for their lease.
  expect(again.program.stderr()).not.toContain('A node on this host is dead');
  expect(await ranIn(again, id)).toBe('succeeded');
  const session = await again.call<Session>('GET', `/api/v1/sessions/${id}`);
  expect(session).toMatchObject({ host: 'c1', hostAway: false });
  expect(await again.stop()).toBe(0);
}, 120_000);
