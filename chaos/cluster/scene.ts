import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMachine, onMachine } from '../../test/cluster/machine-facts.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { Caller } from '../api/caller.ts';
import { Servers } from '../api/servers.ts';
import { newCredentials } from '../api/setup.ts';
import { RoundRobin } from './proxy.ts';
import { APIS, LEASE_SECONDS, WORKERS } from './setup.ts';
import { Trace } from './trace.ts';

/** All of these run, even if one fails. */
export type Cleanup = (() => unknown)[];

export interface Scene {
  readonly servers: Servers;
  readonly postgres: PostgresServer;
  readonly proxy: RoundRobin;
  readonly admin: Caller;
  readonly trace: Trace;
  readonly workspaces: string;
  /** The machine facts that the nodes read (test/cluster/machine-facts.ts); null for the real ones. */
  readonly machine: string | null;
}

/** A database, its nodes, and a load balancer in front of the API nodes. */
export async function setScene(
  cleanup: Cleanup,
  { machineIdAppears }: { readonly machineIdAppears: boolean },
): Promise<Scene> {
  const directory = mkdtempSync(join(tmpdir(), 'baton-chaos-cluster-'));
  const guard = guardOf(directory);
  cleanup.push(() => {
    rmSync(directory, { recursive: true, force: true });
    guard.kill('SIGKILL');
  });
  const postgres = await startPostgres();
  cleanup.push(() => postgres.remove());
  const ports: number[] = [];
  while (ports.length < APIS + WORKERS) ports.push(await steadyPort());
  const proxy = new RoundRobin(ports.slice(0, APIS));
  const url = await proxy.listen();
  cleanup.push(() => proxy.close());
  const machine = machineIdAppears ? join(directory, 'machine') : null;
  if (machine !== null) {
    mkdirSync(machine);
    describeMachine(machine, { hostname: 'chaos' });
  }
  const env = {
    ...(machine === null ? {} : onMachine(machine)),
    BATON_LEASE_SECONDS: String(LEASE_SECONDS),
    BATON_PUBLIC_URL: url,
    // Clients repeat a request at once if its answer is lost, and requests of strangers also count.
    BATON_RATE_LIMIT: '1000000',
  };
  const slots = ports.map((port, i) => {
    const command = i < APIS ? ('api' as const) : ('worker' as const);
    const name = `${command}-${i < APIS ? i + 1 : i - APIS + 1}`;
    return { ...Servers.slot(directory, name, port, postgres.url), command, env };
  });
  const credentials = newCredentials();
  const servers = new Servers(slots, credentials);
  cleanup.push(() => servers.killAll());
  const workspaces = join(directory, 'workspaces');
  mkdirSync(workspaces);
  const admin = new Caller([url], credentials.token);
  return {
    servers,
    postgres,
    proxy,
    admin,
    trace: new Trace(join(directory, 'trace')),
    workspaces,
    machine,
  };
}

/**
 * If this process is killed, the guard's input ends and the guard removes the directory; nodes need
 * a moment to end.
 */
const guardOf = (directory: string): ChildProcess =>
  spawn('sh', ['-c', 'cat >/dev/null; sleep 3; rm -rf "$1"', 'sh', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

/**
 * A free port below the ephemeral range: no other program takes it while its node is down.
 */
async function steadyPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
