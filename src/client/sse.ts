import { createParser } from 'eventsource-parser';
import { BatonError } from '../contract/errors.ts';
import { type ClientOptions, request } from './request.ts';
import type { Connection, Transport } from './transport.ts';

/** Opens streams as server-sent events, which any HTTP client and most proxies understand. */
export const sse =
  (client: ClientOptions): Transport =>
  async ({ operation, input }, { signal, onRetry }) => {
    const response = await request(client, operation, input, { signal });
    if (response.status === 204) return null;
    if (!isEventStream(response)) throw new BatonError('bad_answer');
    return read(response, onRetry);
  };

/** A proxy may have responded with its own sign-in page. */
const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

async function* read({ body }: Response, onRetry: (ms: number) => void): Connection {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let texts: string[] = [];
  const parser = createParser({ onRetry, onEvent: ({ data }) => texts.push(data) });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    yield texts;
    texts = [];
  }
}
