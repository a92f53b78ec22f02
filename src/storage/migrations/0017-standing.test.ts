import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import type { BatonStore } from '../operations/baton-store.ts';
import { migrate as migratePostgres } from '../postgres/migrate.ts';
import { postgresStore } from '../postgres/store.ts';
import { Connection } from '../sqlite/connection.ts';
import { migrate as migrateSqlite } from '../sqlite/migrate.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { standingColumns } from './0017-standing.ts';
import { MIGRATIONS } from './list.ts';

const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(standingColumns));

const lane = (id: string) =>
  `INSERT INTO lanes VALUES ('${id}', '', '', 0, 0, 0, 'idle', 0, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, 1024, 0, 1)`;
const session = (id: string, agent: object) =>
  `INSERT INTO sessions (id, owner, name, description, tags, labels, agent, workspace, isolation, template_config, idle_timeout_s,
     status_reason, last_active_at, cost_usd, last_connections, created_at, updated_at, status)
   VALUES ('${id}', 'ann', '${id}', '', '[]', '[]', '${JSON.stringify(agent)}', '{}', 'none', 'null', 60, 'asked', 0, 0, 0, 0, 0, 'PENDING')`;
const line = (channel: string, action: string, target: string) =>
  `INSERT INTO audit (at, user_id, channel, credential, address, action, target_kind, target_id)
   VALUES (0, 'ann', '${channel}', '', '', '${action}', 'session', '${target}')`;

/** Rows as the version before wrote them. */
const OLD = [
  ...['s1', 's2', 's3', 's4'].map(lane),
  session('s1', { kind: 'shell', command: ['sh'] }),
  session('s2', { kind: 'claude', mcpServers: { x: { command: 'x' } } }),
  session('s3', { kind: 'shell', command: ['sh'] }),
  session('s4', { kind: 'shell' }),
  line('web', 'session.create', 's1'),
  line('api', 'session.update', 's1'),
  line('cli', 'session.fork', 's2'),
  line('cli', 'session.create', 's4'),
  `INSERT INTO tool_rules (place, rules, updated_at) VALUES ('global', '{"allow":[],"ask":[],"deny":["Bash"]}', 0)`,
  `INSERT INTO tokens (id, user_id, name, digest, scopes, channel, created_at) VALUES ('t', 'admin', 't', 'd', '["read"]', 'cli', 0)`,
];

async function check(store: BatonStore): Promise<void> {
  const standing = async (id: string) => (await store.getSession(id))?.session.agentStanding;
  expect(await standing('s1')).toEqual({ channel: 'web' });
  expect(await standing('s2')).toEqual({ channel: 'cli' });
  // Unknown, or there is nothing to judge: as strict as for `api`.
  expect(await standing('s3')).toEqual({ channel: 'api' });
  expect(await standing('s4')).toEqual({ channel: 'api' });
  const rules = { allow: [], ask: [], deny: ['Bash'] };
  expect(await store.sharedRules()).toEqual({ session: null, channels: {}, global: rules });
  expect(await store.getToken('t')).toMatchObject({ channel: 'cli', through: [] });
}

test('[O3] [P1] older sessions, rules and tokens are read on SQLite', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const connection = new Connection(path, { readOnly: false });
  migrateSqlite(connection, before);
  connection.close();
  const file = new DatabaseSync(path);
  for (const statement of OLD) file.exec(statement);
  file.close();
  const store = await sqliteStore({ path });
  onTestFinished(() => store.close());
  await check(store);
});

test('[O3] [P1] older sessions, rules and tokens are read on PostgreSQL', async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const target = { url, schema: 'old' };
  await migratePostgres(target, before);
  const client = new pg.Client({ connectionString: url, options: '-c search_path=old' });
  await client.connect();
  for (const statement of OLD) await client.query(statement);
  await client.end();
  const store = await postgresStore(target);
  await check(store);
  await store.close();
});
