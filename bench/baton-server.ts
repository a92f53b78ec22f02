import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
// @ts-expect-error: JavaScript, like all of the launcher
import { SERVER_FLAGS } from '../bin/handover.mjs';
import type { MessageReceipt } from '../src/contract/message.ts';
import type { AgentKind, Session } from '../src/contract/session.ts';
import type { Program, Resources } from './resources.ts';

export const TOKEN = 'bench-token-0123456789abcdef';

/** Keeps connections open, like a program that sends many requests. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export function post(
  url: string,
  body?: unknown,
  method = 'POST',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(text === '' ? {} : { 'content-type': 'application/json' }),
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          received += piece;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: received }));
      },
    );
    sent.on('error', reject).end(text);
  });
}

/** As the web app and the command line send it: with a key, which a repeated message keeps. */
export const postMessage = (
  url: string,
  message: string,
  key: string = randomUUID(),
): Promise<Answer> => post(url, { message, onBusy: 'enqueue' }, 'POST', { 'idempotency-key': key });

function read<T>(url: string, answer: Answer): T {
  if (answer.status >= 300) throw new Error(`${url}: ${answer.status} ${answer.body}`);
  return (answer.body === '' ? undefined : JSON.parse(answer.body)) as T;
}

/** A node in a separate process; a whole server by default. */
export class BatonServer {
  readonly url: string;
  readonly program: Program;

  constructor(url: string, program: Program) {
    this.url = url;
    this.program = program;
  }

  static async start(
    resources: Resources,
    setup: {
      dataDir?: string;
      database?: string;
      roles?: readonly ('api' | 'worker')[];
      port?: number;
      settings?: Readonly<Record<string, string>>;
      environment?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<BatonServer> {
    const dataDir = setup.dataDir ?? resources.directory();
    const program = resources.program(
      'baton-server',
      { ...setup, dataDir, token: TOKEN },
      // As the launcher starts it.
      SERVER_FLAGS,
    );
    const { url } = (await program.next()) as { url: string };
    return new BatonServer(url, program);
  }

  async call<T>(path: string, body?: unknown, method = 'POST'): Promise<T> {
    const url = `${this.url}${path}`;
    return read(url, await post(url, body, method));
  }

  async send(sessionId: string, message: string): Promise<MessageReceipt> {
    const url = this.messagesOf(sessionId);
    return read(url, await postMessage(url, message));
  }

  messagesOf(sessionId: string): string {
    return `${this.url}/api/v1/sessions/${sessionId}/messages`;
  }

  session(name: string, kind: AgentKind = 'shell'): Promise<Session> {
    return this.call('/api/v1/sessions', { name, agent: { kind } });
  }

  /** Resident bytes, after a garbage collection. */
  memory(): Promise<number> {
    return this.#ask('memory');
  }

  /** Resident bytes now. */
  resident(): Promise<number> {
    return this.#ask('resident');
  }

  async #ask(what: string): Promise<number> {
    this.program.process.send(what);
    return (await this.program.next()) as number;
  }
}
