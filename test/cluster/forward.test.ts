import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/contract/audit.ts';
import type { NodeView } from '../../src/contract/node.ts';
import { checkDatabase } from '../../src/node/doctor.ts';
import {
  bodyDigestOf,
  type Claim,
  FORWARD_HEADER,
  forwardKeyOf,
  sign,
} from '../../src/server/forward/credential.ts';
import { statusOf } from '../support/forward-rig.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { freePort, type Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const SOON = { ms: PATIENCE_MS, every: 50 };
const WARNING = /"hosts":\["one","build"\].*set BATON_NODE_URL/;

/** Two hosts: one serves the API, the other only runs agents. There is a session on the other. */
async function twoHosts() {
  const cluster = await Cluster.create();
  const dataDir = temporaryDirectory();
  const port = await freePort();
  const worker = () =>
    cluster.node('worker', { host: 'two', name: 'build', dataDir, port, leaseSeconds: 5 });
  const [one, two] = await Promise.all([
    cluster.node('up', { host: 'one', leaseSeconds: 5 }),
    worker(),
  ]);
  const { id } = await one.session('on two', { workspace: { host: 'two' } });
  await one.finished(await one.send(id, 'echo from two'), PATIENCE_MS);
  const folder = join(dataDir, 'artefacts', id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run-call.txt'), 'the whole result');
  return {
    cluster,
    dataDir,
    worker,
    one,
    two,
    id,
    artefact: `/api/v1/sessions/${id}/artefacts/run-call.txt`,
  };
}

test('[X7] [Q23] what lives on another host works through any API node, and is 503 while that host is away; unreachable hosts are reported', async () => {
  const { cluster, dataDir, worker, one, two, id, artefact } = await twoHosts();
  const third = await cluster.node('api', { host: 'three', leaseSeconds: 5 });
  const { items } = await third.call<{ items: NodeView[] }>('GET', '/api/v1/nodes');
  const urls = items.map(({ host, url }) => [host, url]).sort();
  expect(urls).toEqual([
    ['one', null],
    ['three', null],
    ['two', two.url],
  ]);
  // Two listens on loopback, too: only on this machine that is an address for the others.
  expect(third.program.stderr()).toMatch(WARNING);
  const findings = await checkDatabase({ kind: 'postgres', url: cluster.database });
  expect(findings).toContainEqual(
    expect.objectContaining({
      name: 'node addresses',
      text: expect.stringContaining('build, one'),
    }),
  );
  for (const api of [one, third]) {
    const answer = await api.fetch('GET', artefact);
    expect([answer.status, await answer.text()]).toEqual([200, 'the whole result']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const exported = await api.fetch('GET', `/api/v1/sessions/${id}/export`);
    expect(await exported.text()).toContain('from two');
  }
  expect((await one.fetch('GET', artefact.replace('run-call', 'none'))).status).toBe(404);
  expect((await two.fetch('GET', artefact)).status).toBe(404);
  const run = await one.send(id, 'echo begun > begun; sleep 60');
  await until(() => existsSync(join(dataDir, 'workspaces', id, 'begun')), SOON);
  await one.call('POST', `/api/v1/runs/${run}/cancel`);
  expect((await one.finished(run, PATIENCE_MS)).state).toBe('cancelled');

  await two.kill();
  const away = await one.fetch('GET', artefact);
  expect(away.status).toBe(503);
  expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await away.json()).toMatchObject({
    error: {
      code: 'host_away',
      message: expect.stringContaining('"build"'),
      details: { host: 'two', hostName: 'build' },
    },
  });
  const whileAway = await one.fetch('GET', `/api/v1/sessions/${id}/export`);
  expect(await whileAway.text()).toContain('from two');

  await worker();
  expect(await (await one.fetch('GET', artefact)).text()).toBe('the whole result');
  await one.call('DELETE', `/api/v1/sessions/${id}`);
  await until(() => !existsSync(join(dataDir, 'artefacts', id)), SOON);
}, 120_000);

test('[X7] a real node refuses credentials that are forged, expired, replayed, or for another node, caller or request', async () => {
  const { cluster, one, two, id, artefact } = await twoHosts();
  const key = forwardKeyOf(cluster.secretKey);
  const { items } = await one.call<{ items: NodeView[] }>('GET', '/api/v1/nodes');
  const idOf = (host: string) => items.find((node) => node.host === host)?.id as string;
  const signed = (claim: Partial<Claim> = {}, line = {}, by = key) => ({
    [FORWARD_HEADER]: sign(
      by,
      {
        ...{ node: idOf('two'), userId: 'admin', credential: 'admin', address: '', requestId: '' },
        ...{ body: bodyDigestOf(Buffer.alloc(0)), number: randomUUID() },
        expiresAt: Date.now() + 10_000,
        ...claim,
      },
      { method: 'GET', url: artefact, ...line },
    ),
  });
  const ask = (headers: Record<string, string>, server: Server = two) =>
    statusOf(server, headers, { path: artefact });
  const valid = signed();
  expect(await ask(valid)).toBe(200);
  expect(await ask(valid)).toBe(401);
  const refused = [
    signed({}, {}, cluster.secretKey),
    signed({ expiresAt: Date.now() - 60_000 }),
    signed({ node: idOf('one') }),
    signed({ userId: randomUUID() }),
    signed({ credential: 'token:none' }),
    signed({ body: bodyDigestOf(Buffer.from('{}')) }),
    signed({}, { method: 'DELETE' }),
    signed({}, { url: artefact.replace(id, randomUUID()) }),
    signed({}, { url: `${artefact}?ticket=x` }),
  ];
  for (const headers of refused) expect(await ask(headers)).toBe(401);
  // Valid for node one, but the session is on two: it is not forwarded a second time.
  expect(await ask(signed({ node: idOf('one') }), one)).toBe(421);
  expect(await ask({ ...signed({}, {}, cluster.secretKey), authorization: 'Bearer x' }, one)).toBe(
    401,
  );

  const user = await one.call<{ id: string }>('POST', '/api/v1/users', { name: 'hanako' });
  const made = await one.call<{ id: string }>('POST', '/api/v1/tokens', {
    ...{ name: 'test', userId: user.id },
  });
  const hers = { userId: user.id, credential: `token:${made.id}` };
  // The session is not hers, whatever node it comes through.
  expect(await ask(signed(hers))).toBe(404);
  await one.call('PUT', `/api/v1/sessions/${id}/shares`, {
    shares: [{ user: 'hanako', level: 'view' }],
  });
  expect(await ask(signed(hers))).toBe(200);
  await one.call('PUT', `/api/v1/users/${user.id}`, { disabled: true });
  expect(await ask(signed(hers))).toBe(401);
  const { items: lines } = await one.call<{ items: AuditEntry[] }>('GET', '/api/v1/audit');
  expect(lines.every(({ address }) => address === '127.0.0.1')).toBe(true);
  expect(two.program.stderr()).toContain('Refused a request from another node');
}, 120_000);
