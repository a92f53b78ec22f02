import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ARTEFACT } from './access-matrix-rig.ts';
import { ID, type Row } from './access-matrix-rows.ts';

export interface Answer {
  readonly status: number;
  /** Headers and body as text, without the parts that differ between responses. */
  readonly text: string;
  readonly requestId: string | null;
}

let counter = 0;
/** Names must be unique. */
const freshName = (): string => `asks-${++counter}`;

/** Sends a row's request for the thing with this id. A stream is closed once it has started. */
export async function ask(
  url: string,
  row: Row,
  token: string | null,
  id: string,
): Promise<Answer> {
  const path = row.path
    .replace('{id}', id)
    .replace('{status}', 'PENDING')
    .replace('{tag}', 'web')
    .replace('{channel}', 'line')
    .replace('{name}', ARTEFACT);
  const target = `${url}${path}${row.query.replace(ID, id)}`;
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  if (row.method === 'WS') return upgrade(target, headers);
  const stop = new AbortController();
  const body = bodyOf(row, id);
  const response = await fetch(target, {
    method: row.method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
    signal: stop.signal,
    redirect: 'manual',
  });
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = streams ? '' : await response.text();
  if (streams) stop.abort();
  return {
    status: response.status,
    text: plain([...response.headers], text),
    requestId: response.headers.get('x-request-id'),
  };
}

function bodyOf({ body }: Row, id: string): string | undefined {
  if (body === undefined) return undefined;
  const fields = Object.entries(body).map(([key, value]) => {
    if (value === ID) return [key, id];
    return [key, key === 'name' ? freshName() : value];
  });
  return JSON.stringify(Object.fromEntries(fields));
}

async function upgrade(target: string, headers: Record<string, string>): Promise<Answer> {
  const socket = new WebSocket(target.replace(/^http/, 'ws'), { headers });
  socket.on('error', () => {});
  const [first] = (await Promise.race([
    once(socket, 'open'),
    once(socket, 'unexpected-response').then(([, response]) => [response]),
  ])) as [IncomingMessage | undefined];
  if (first === undefined) {
    socket.terminate();
    return { status: 101, text: '', requestId: null };
  }
  let text = '';
  for await (const chunk of first) text += String(chunk);
  const shown = Object.entries(first.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: first.statusCode ?? 0,
    text: plain(shown as [string, string][], text),
    requestId: null,
  };
}

const VARYING = /^(date|x-request-id|keep-alive|connection)$/;

const plain = (headers: readonly (readonly [string, string])[], body: string): string =>
  [
    ...headers.filter(([name]) => !VARYING.test(name)).map(([name, value]) => `${name}: ${value}`),
    body
      .replace(/"timestamp":"[^"]*"/, '"timestamp"')
      .replace(/"requestId":"[^"]*"/, '"requestId"'),
  ].join('\n');
