import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { createDatabase } from '../support/postgres.ts';
import { root, start, temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { Machine } from './machine.ts';

const PATIENCE_MS = 60_000;
const machineId = (): string => randomBytes(16).toString('hex');
const hostIdIn = (dataDir: string): string => readFileSync(join(dataDir, 'host-id'), 'utf8').trim();

async function databaseUrl(kind: 'sqlite' | 'postgres'): Promise<Record<string, string>> {
  if (kind === 'sqlite') return {};
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return { BATON_DATABASE_URL: url };
}

test.each(['sqlite', 'postgres'] as const)(
  '[Q23] a new machine-id or a changed host name strands no session, on %s',
  async (kind) => {
    const machine = new Machine({ hostname: 'before' });
    const dataDir = temporaryDirectory();
    const env = { ...machine.env, ...(await databaseUrl(kind)), BATON_LEASE_SECONDS: '5' };
    const up = () => Server.start({ dataDir, env });
    const runIn = async (server: Server, id: string) =>
      (await server.finished(await server.send(id, 'pwd'), PATIENCE_MS)).state;

    let server = await up();
    const { id } = await server.session('stays here');
    const read = () => server.call<Session>('GET', `/api/v1/sessions/${id}`);
    expect(await runIn(server, id)).toBe('succeeded');
    const host = 'before';
    expect(await read()).toMatchObject({ host, hostAway: false });

    for (const change of [
      { 'machine-id': machineId() },
      { 'machine-id': null, hostname: 'after', 'boot-id': randomUUID() },
    ]) {
      expect(await server.stop()).toBe(0);
      machine.is(change);
      server = await up();
      expect(await runIn(server, id), JSON.stringify(change)).toBe('succeeded');
      expect(await read()).toMatchObject({ host, hostAway: false });
    }
    expect(hostIdIn(dataDir)).toBe(host);
  },
  240_000,
);

test('[Q23] an older installation keeps its id: the hash of its machine-id', async () => {
  const machine = new Machine({ 'machine-id': '0123456789abcdef0123456789abcdef' });
  const dataDir = temporaryDirectory();
  const server = await Server.start({ dataDir, env: machine.env });
  expect(hostIdIn(dataDir)).toBe('00711163ef79c39e4dbdf74d7579ab8e');
  expect(statSync(join(dataDir, 'host-id')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('host-id'))).toEqual(['host-id']);
  expect(await server.stop()).toBe(0);
}, 60_000);

test('[Q23] BATON_HOST_ID overrides the file, and neither may be malformed', async () => {
  const dataDir = temporaryDirectory();
  const named = await Server.start({ dataDir, env: { BATON_HOST_ID: 'build-1' } });
  const nodes = await named.call<{ items: { host: string }[] }>('GET', '/api/v1/nodes');
  expect(nodes.items.map(({ host }) => host)).toEqual(['build-1']);
  expect(readdirSync(dataDir)).not.toContain('host-id');
  expect(await named.stop()).toBe(0);

  const refused = async (env: Record<string, string>) => {
    const launcher = join(root, 'bin', 'baton.mjs');
    const args = [launcher, 'up', '--data-dir', dataDir, '--port', '0'];
    const program = start(process.execPath, args, { env });
    expect((await program.exit).code).not.toBe(0);
    return program.stderr();
  };
  expect(await refused({ BATON_HOST_ID: 'no spaces' })).toContain('BATON_HOST_ID');
  for (const text of ['', 'two\nlines\n', `${'x'.repeat(201)}\n`]) {
    writeFileSync(join(dataDir, 'host-id'), text);
    const said = await refused({});
    expect(said).toContain(join(dataDir, 'host-id'));
    expect(said).toContain('What to do: restore the previous id');
  }
}, 120_000);

test('[Q23] nodes that start simultaneously on one data directory agree on its id', async () => {
  const { BATON_DATABASE_URL = '' } = await databaseUrl('postgres');
  const dataDir = temporaryDirectory();
  const machines = ['one', 'two', 'three'].map((hostname) => new Machine({ hostname }));
  const servers = await Promise.all(
    machines.map(({ env }) => Server.start({ dataDir, env: { ...env, BATON_DATABASE_URL } })),
  );
  const [first] = servers as [Server];
  const { items } = await first.call<{ items: { host: string }[] }>('GET', '/api/v1/nodes');
  expect(items.map(({ host }) => host)).toEqual(Array(3).fill(hostIdIn(dataDir)));
  for (const server of servers) expect(await server.stop()).toBe(0);
}, 120_000);
