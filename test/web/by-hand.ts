import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { PAGE_KEY_HEADER } from '../../src/contract/page-key.ts';
import { TOKEN } from '../support/server-rig.ts';
import { pageKeyIn } from '../support/sign-in-rig.ts';

/* Requests without a browser, which does not allow setting all headers. */

export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a stream, which is closed at once. */
  readonly text: string;
}

export async function ask(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answered> {
  const sent = request(url, { method, headers });
  sent.on('upgrade', (_answer, socket) => socket.destroy());
  sent.end(body);
  const [answer] = (await Promise.race([once(sent, 'response'), once(sent, 'upgrade')])) as [
    IncomingMessage,
  ];
  const { statusCode: status = 0, headers: responseHeaders } = answer;
  if (status === 101) return { status, headers: responseHeaders, text: '' };
  if (responseHeaders['content-type']?.startsWith('text/event-stream') === true) {
    answer.destroy();
    return { status, headers: responseHeaders, text: '' };
  }
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status, headers: responseHeaders, text };
}

/** Signs in, by default as the administrator; returns what a browser would then send. */
export async function signInByHand(url: string, token = TOKEN) {
  const { headers, text } = await ask(
    `${url}/sign-in`,
    'POST',
    { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    `token=${token}`,
  );
  const cookie = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  return { cookie, pageKey: pageKeyIn(text) };
}

/** A ticket for a path, as a page would get it. */
export async function ticketByHand(
  url: string,
  { cookie, pageKey }: { readonly cookie: string; readonly pageKey: string },
  path: string,
): Promise<string> {
  const headers = {
    cookie,
    origin: url,
    [PAGE_KEY_HEADER]: pageKey,
    'content-type': 'application/json',
  };
  const { text } = await ask(`${url}/api/v1/tickets`, 'POST', headers, JSON.stringify({ path }));
  return (JSON.parse(text) as { ticket: string }).ticket;
}
