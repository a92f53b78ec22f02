import type { CreateTicket, Ticket } from '../../src/contract/ticket.ts';
import { fetchWithKey } from './page-key.ts';

/*
 * Streams over WebSockets: a browser opens six other connections to a server, over all its tabs, so
 * that streams of a few tabs would leave none for anything else.
 */

const STREAM = /^\/api\/v1(?:\/events|(\/sessions\/[^/]+)\/events)$/;
/** Where something between here and the server passes none, they are not tried for so long. */
const BLOCKED_MS = 10 * 60_000;
let blockedUntil = 0;
/** What lets the rest of the page through and swallows this is between here and the server. */
const CONNECT_MS = 10_000;

const TICKETS = '/api/v1/tickets';

/** What `fetch` does with the page key, with streams of the API opened as WebSockets where that is possible. */
export const fetchOrSocket: typeof fetch = async (input, init) => {
  const url = new URL(String(input), location.origin);
  const at = socketOf(url);
  if (at === null || Date.now() < blockedUntil) return fetchWithKey(input, init);
  const signal = init?.signal ?? null;
  // A WebSocket takes no header.
  const answer = await ticketFor(at, signal);
  if (!answer.ok) return answer;
  at.searchParams.set('ticket', ((await answer.json()) as Ticket).ticket);
  const opened = await open(at, signal);
  signal?.throwIfAborted();
  if (opened === 'left') throw new TypeError('The network has changed.');
  if (opened !== null) return opened;
  // A page is not told why a WebSocket was refused; this says it.
  const response = await fetchWithKey(input, init);
  if (response.ok) blockedUntil = Date.now() + BLOCKED_MS;
  return response;
};

const ticketFor = ({ pathname }: URL, signal: AbortSignal | null): Promise<Response> =>
  fetchWithKey(TICKETS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: pathname } satisfies CreateTicket),
    signal,
  });

/** Of a stream its address as a WebSocket, null of anything else. */
export function socketOf(url: URL): URL | null {
  const found = STREAM.exec(url.pathname);
  if (found === null || url.searchParams.get('follow') === 'false') return null;
  const at = new URL(`/ws${found[1] ?? '/events'}${url.search}`, url);
  at.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  at.searchParams.set('pings', 'true');
  return at;
}

/**
 * The stream as `fetch` would give it, which ends with the signal; null if it was not opened, `left` if
 * nobody waits for it any more.
 */
function open(at: URL, signal: AbortSignal | null): Promise<Response | 'left' | null> {
  const socket = new WebSocket(at);
  const { promise, resolve } = Promise.withResolvers<Response | 'left' | null>();
  const encoder = new TextEncoder();
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener('abort', leave);
        removeEventListener('offline', leave);
        removeEventListener('online', leaveAttempt);
        clearTimeout(timer);
        resolve(null);
        if (signal?.aborted === true) controller.error(signal.reason);
        else controller.close();
      };
      // At once: without a network a close takes minutes to be answered.
      const leave = (): void => {
        resolve('left');
        end();
        // One that is not open yet is closed when it is; browsers complain of anything else.
        if (socket.readyState !== WebSocket.CONNECTING) socket.close();
      };
      // One that was begun without a network may never be answered.
      const leaveAttempt = (): void => {
        if (socket.readyState === WebSocket.CONNECTING) leave();
      };
      const timer = setTimeout(() => {
        if (socket.readyState === WebSocket.CONNECTING) end();
      }, CONNECT_MS);
      socket.onmessage = ({ data }) => {
        if (!isOver) controller.enqueue(encoder.encode(frameOf(String(data))));
      };
      socket.onclose = end;
      signal?.addEventListener('abort', leave);
      // The connection may seem to live for long after the network has gone.
      addEventListener('offline', leave);
      addEventListener('online', leaveAttempt);
      if (signal?.aborted === true) leave();
    },
  });
  socket.onopen = () => {
    if (isOver) socket.close();
    else resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return promise;
}

/** As server-sent events are written; JSON has no line breaks. */
export const frameOf = (text: string): string =>
  text === '{"type":"ping"}' ? ': ping\n\n' : `data: ${text}\n\n`;
