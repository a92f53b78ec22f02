import type { CreateTicket, Ticket } from '../../src/contract/ticket.ts';
import { fetchWithKey } from './page-key.ts';

/*
 * Streams use WebSockets: a browser opens at most six other connections to a server across all
 * tabs, so the streams of a few tabs would block everything else.
 */

const STREAM = /^\/api\/v1(?:\/events|(\/sessions\/[^/]+)\/events)$/;
/** How long to avoid WebSockets after something between here and the server has blocked one. */
const BLOCKED_MS = 10 * 60_000;
let blockedUntil = 0;
/** Time to connect; a proxy may swallow WebSockets without refusing them. */
const CONNECT_MS = 10_000;

const TICKETS = '/api/v1/tickets';

/** `fetch` with the page key, which opens streams as WebSockets where possible. */
export const fetchOrSocket: typeof fetch = async (input, init) => {
  const url = new URL(String(input), location.origin);
  const at = socketOf(url);
  if (at === null || Date.now() < blockedUntil) return fetchWithKey(input, init);
  const signal = init?.signal ?? null;
  // A WebSocket cannot send the page key as a header.
  const answer = await ticketFor(at, signal);
  if (!answer.ok) return answer;
  at.searchParams.set('ticket', ((await answer.json()) as Ticket).ticket);
  const opened = await open(at, signal);
  signal?.throwIfAborted();
  if (opened === 'abandoned') throw new TypeError('The network has changed.');
  if (opened !== null) return opened;
  // Browsers do not say why a WebSocket was refused; a plain request shows the reason.
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

/** The WebSocket address of a stream; null for anything else. */
export function socketOf(url: URL): URL | null {
  const match = STREAM.exec(url.pathname);
  if (match === null || url.searchParams.get('follow') === 'false') return null;
  const at = new URL(`/ws${match[1] ?? '/events'}${url.search}`, url);
  at.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  at.searchParams.set('pings', 'true');
  return at;
}

/**
 * The stream as a `fetch` response, which ends when the signal is aborted; null if it could not be
 * opened, `abandoned` if nobody is waiting for it any more.
 */
function open(at: URL, signal: AbortSignal | null): Promise<Response | 'abandoned' | null> {
  const socket = new WebSocket(at);
  const { promise, resolve } = Promise.withResolvers<Response | 'abandoned' | null>();
  const encoder = new TextEncoder();
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener('abort', abandon);
        removeEventListener('offline', abandon);
        removeEventListener('online', abandonAttempt);
        clearTimeout(timer);
        resolve(null);
        if (signal?.aborted === true) controller.error(signal.reason);
        else controller.close();
      };
      // Does not wait, because without a network closing takes minutes.
      const abandon = (): void => {
        resolve('abandoned');
        end();
        // A socket that is still connecting is closed once it opens; closing it now makes browsers
        // log an error.
        if (socket.readyState !== WebSocket.CONNECTING) socket.close();
      };
      // A connection attempt made without a network may never be answered.
      const abandonAttempt = (): void => {
        if (socket.readyState === WebSocket.CONNECTING) abandon();
      };
      const timer = setTimeout(() => {
        if (socket.readyState === WebSocket.CONNECTING) end();
      }, CONNECT_MS);
      socket.onmessage = ({ data }) => {
        if (!isOver) controller.enqueue(encoder.encode(frameOf(String(data))));
      };
      socket.onclose = end;
      signal?.addEventListener('abort', abandon);
      // The socket may look open long after the network is gone.
      addEventListener('offline', abandon);
      addEventListener('online', abandonAttempt);
      if (signal?.aborted === true) abandon();
    },
  });
  socket.onopen = () => {
    if (isOver) socket.close();
    else resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return promise;
}

/** Formats a frame as a server-sent event; JSON has no line breaks. */
export const frameOf = (text: string): string =>
  text === '{"type":"ping"}' ? ': ping\n\n' : `data: ${text}\n\n`;
