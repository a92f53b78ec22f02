import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
// @ts-expect-error: JavaScript, like all of the launcher
import { SERVER_FLAGS } from '../../bin/handover.mjs';
import type { Run } from '../../src/contract/run.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { type Program, root, start, temporaryDirectory } from './processes.ts';
import { until } from './until.ts';

export const TOKEN = 'test-token-0123456789abcdef';

export interface ServerOptions {
  readonly dataDir?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly command?: 'up' | 'api' | 'worker';
  /** Limit of open file descriptors of the process. */
  readonly openFiles?: number;
}

/**
 * A real server, used only over HTTP. It is started the way the launcher would start it, but
 * without the launcher, which takes a fifth of the time and has its own tests.
 */
export class Server {
  readonly program: Program;
  readonly url: string;

  constructor(program: Program, url: string) {
    this.program = program;
    this.url = url;
  }

  static async start(options: ServerOptions = {}): Promise<Server> {
    const { dataDir = temporaryDirectory(), args = ['--port', '0'], env = {} } = options;
    const main = join(root, 'src', 'cli', 'main.ts');
    const node = [process.execPath, ...SERVER_FLAGS, main, options.command ?? 'up'];
    const limit = `ulimit -n ${options.openFiles}; exec "$@"`;
    const wrapped =
      options.openFiles === undefined ? node : ['/bin/sh', '-c', limit, 'sh', ...node];
    const [command = '', ...rest] = wrapped;
    const program = start(command, [...rest, '--data-dir', dataDir, ...args], {
      env: { BATON_ADMIN_TOKEN: TOKEN, ...env },
    });
    const url = await program.line('Baton is ready: ');
    return new Server(program, new URL(url).origin);
  }

  async call<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
    const answer = await this.fetch(method, path, body, headers);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  fetch(method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  session(name: string, more: object = {}): Promise<Session> {
    return this.call('POST', '/api/v1/sessions', { name, agent: { kind: 'shell' }, ...more });
  }

  async send(session: string, message: string, more: object = {}): Promise<string> {
    const path = `/api/v1/sessions/${session}/messages`;
    return (await this.call<{ runId: string }>('POST', path, { message, ...more })).runId;
  }

  run(id: string): Promise<RunView> {
    return this.call('GET', `/api/v1/runs/${id}`);
  }

  async finished(id: string, ms = 20_000): Promise<RunView> {
    let run = await this.run(id);
    await until(
      async () => {
        run = await this.run(id);
        return run.finishedAt !== null;
      },
      { ms, every: 25 },
    );
    return run;
  }

  async inState(id: string, state: Run['state'], ms = 20_000): Promise<void> {
    await until(async () => (await this.run(id)).state === state, { ms, every: 25 });
  }

  async log(session: string): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (;;) {
      const after = events.at(-1)?.seq ?? 0;
      const path = `/api/v1/sessions/${session}/events?follow=false&limit=1000&after=${after}`;
      const page = await this.call<{ items: SessionEvent[]; nextCursor: number | null }>(
        'GET',
        path,
      );
      events.push(...page.items);
      if (page.nextCursor === null) return events;
    }
  }

  /** Kills it as if the machine had crashed. */
  async kill(): Promise<void> {
    process.kill(this.program.pid, 'SIGKILL');
    await this.program.exit;
  }

  async stop(): Promise<number | null> {
    process.kill(this.program.pid, 'SIGTERM');
    return (await this.program.exit).code;
  }
}

/** A free port for a server that will restart at the same address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
