import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';

/** Long enough for a busy machine. */
export const PATIENCE_MS = 120_000;

export interface NodeOptions {
  readonly host?: string;
  /** The name it asks for; its id by default. */
  readonly name?: string;
  readonly sharedData?: boolean;
  readonly leaseSeconds?: number;
  readonly dataDir?: string;
  readonly maxRuns?: number;
  /** Other nodes reach it at this port of the loopback address. */
  readonly port?: number;
}

/** Nodes over one PostgreSQL database, each a process with its own data directory. */
export class Cluster {
  readonly database: string;
  readonly secretKey = randomBytes(32);

  constructor(database: string) {
    this.database = database;
  }

  /** Uses a separate database on the server of this test run. */
  static async create(): Promise<Cluster> {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    return new Cluster(database.url);
  }

  node(command: 'up' | 'api' | 'worker', options: NodeOptions = {}): Promise<Server> {
    const { dataDir = temporaryDirectory(), port = 0 } = options;
    const args = ['--port', String(port)];
    return Server.start({ command, dataDir, args, env: this.environment(options) });
  }

  /** The settings of a node. */
  environment(options: NodeOptions = {}): Record<string, string> {
    const { host = 'one', name = host, leaseSeconds = 30, sharedData = false } = options;
    const { maxRuns, port } = options;
    return {
      BATON_DATABASE_URL: this.database,
      BATON_SECRET_KEY: this.secretKey.toString('base64'),
      BATON_HOST_ID: host,
      BATON_HOST_NAME: name,
      BATON_SHARED_DATA: sharedData ? '1' : '0',
      BATON_LEASE_SECONDS: String(leaseSeconds),
      ...(port === undefined ? {} : { BATON_NODE_URL: `http://127.0.0.1:${port}` }),
      ...(maxRuns === undefined ? {} : { BATON_MAX_CONCURRENT_RUNS: String(maxRuns) }),
    };
  }

  /** Two API nodes: changes on one are visible on the other. */
  async apis(options: NodeOptions = {}): Promise<[Server, Server]> {
    return [await this.node('api', options), await this.node('api', options)];
  }
}

/** A session that has run on this host and so stays there (Q23). */
export async function sessionOn(host: string, api: Server) {
  for (let i = 0; i < 50; i++) {
    const { id } = await api.session(`on ${host} ${i}`, { holdOnFailure: false });
    const { state } = await api.finished(await api.send(id, 'true'), PATIENCE_MS);
    if (state !== 'succeeded') throw new Error(`the first run ended as ${state}`);
    const session = await api.call<{ id: string; host: string | null }>(
      'GET',
      `/api/v1/sessions/${id}`,
    );
    if (session.host === host) return session;
  }
  throw new Error(`no session was pinned to ${host}`);
}
