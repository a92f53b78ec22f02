import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beginText, streamAnswer, streamError, wholeAnswer } from './answer.ts';
import { Holds } from './holds.ts';
import { type Block, MessagesRequest, resultsIn, stepOf, textOf } from './request.ts';
import { type AnswerStep, isAnswer, type Step, type StepInput, scriptsFor } from './script.ts';

export interface ModelServer {
  readonly url: string;
  /** The environment in which a program talks to this server instead of the provider. */
  readonly environment: Readonly<Record<string, string>>;
  /** Requests of the conversation itself, without the agent's housekeeping, which has no tools. */
  readonly requests: readonly MessagesRequest[];
  /** Mismatches between expected and actual tool results. */
  readonly failures: readonly string[];
  /** Resolves when a step waits under this name. */
  arrived(name: string): Promise<void>;
  release(name: string): void;
  stop(): Promise<void>;
}

/**
 * The Anthropic Messages API on loopback, with answers from the script in the prompt (script.ts), or
 * from `scripts`, by a part of the prompt.
 */
export async function startModelServer(
  scripts: Readonly<Record<string, readonly StepInput[]>> = {},
): Promise<ModelServer> {
  const scriptOf = scriptsFor(scripts);
  const requests: MessagesRequest[] = [];
  const failures: string[] = [];
  const holds = new Holds();
  const failed = new Map<string, number>();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    if (request.method !== 'POST') return void response.writeHead(200).end();
    if (request.url?.includes('count_tokens')) return sendJson(response, { input_tokens: 10 });
    const parsed = MessagesRequest.safeParse(JSON.parse(body === '' ? '{}' : body));
    if (!parsed.success) return sendError(response, 400, parsed.error.message);
    const messages = parsed.data;
    if (messages.tools.length === 0) return answer(response, { text: 'ok' }, messages);
    requests.push(messages);
    const next = stepOf(messages, (key, times) => (failed.get(key) ?? 0) >= times, scriptOf);
    if (next === null) return answer(response, { text: 'Hello.' }, messages);
    const { step, key } = next;
    if (isAnswer(step)) return answer(response, step, messages);
    failed.set(key, (failed.get(key) ?? 0) + 1);
    return failWith(response, step, messages.stream);
  };

  const answer = async (
    response: ServerResponse,
    step: AnswerStep,
    request: MessagesRequest,
  ): Promise<void> => {
    const wrong = mismatch(step, resultsIn(request));
    if (wrong !== null) {
      failures.push(wrong);
      return sendError(response, 400, wrong);
    }
    if (step.hold !== undefined) await holds.wait(step.hold);
    const pause = async (): Promise<void> => {
      if (step.holdEnd !== undefined) await holds.wait(step.holdEnd);
    };
    if (request.stream) return streamAnswer(response, step, request.model, pause);
    await pause();
    sendJson(response, wholeAnswer(step, request.model));
  };

  const server = createServer((request, response) => {
    // A client may disconnect at any time.
    response.on('error', () => {});
    handle(request, response).catch((error: unknown) => {
      failures.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-test' },
    requests,
    failures,
    arrived: (name) => holds.arrived(name),
    release: (name) => holds.release(name),
    stop: async () => {
      holds.releaseAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function failWith(
  response: ServerResponse,
  step: Exclude<Step, AnswerStep>,
  stream: boolean,
): Promise<void> {
  if ('status' in step) {
    sendError(response, step.status, step.message ?? `scripted ${step.status}`, step);
  } else if ('drop' in step) {
    if (step.drop === 'in text') await beginText(response);
    response.destroy();
  } else if (stream) {
    await streamError(response, step.error);
  } else {
    sendError(response, 529, 'in the middle', { type: step.error });
  }
}

/** The difference between actual and expected tool results; null if there is none. */
function mismatch({ results }: AnswerStep, came: readonly Block[]): string | null {
  if (results === undefined) return null;
  const shown = came.map((block) => ({
    error: block.is_error === true,
    text: typeof block.content === 'string' ? block.content : textOf(asBlocks(block.content)),
  }));
  const fits =
    shown.length === results.length &&
    results.every(
      ({ error, includes }, n) =>
        shown[n]?.error === (error ?? false) && shown[n]?.text.includes(includes ?? ''),
    );
  if (fits) return null;
  return `expected results ${JSON.stringify(results)}, got ${JSON.stringify(shown)}`;
}

const asBlocks = (content: unknown): Block[] => (Array.isArray(content) ? content : []);

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  more: { type?: string | undefined; headers?: Record<string, string> | undefined } = {},
): void {
  const type = more.type ?? TYPES[status] ?? 'api_error';
  response.writeHead(status, { 'content-type': 'application/json', ...more.headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
