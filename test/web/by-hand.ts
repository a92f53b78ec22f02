import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { PAGE_KEY_HEADER } from '../../src/contract/page-key.ts';
import { TOKEN } from '../support/server-rig.ts';
import { pageKeyIn } from '../support/sign-in-rig.ts';

/* Requests without a browser, which would not let anybody choose all headers. */

export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty of a stream, which is left at once. */
  readonly text: string;
}

export async function ask(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answered> {
  const asked = request(url, { method, headers });
  asked.on('upgrade', (_answer, socket) => socket.destroy());
  asked.end(body);
  const [answer] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [
    IncomingMessage,
  ];
  const { statusCode: status = 0, headers: told } = answer;
  if (status === 101) return { status, headers: told, text: '' };
  if (told['content-type']?.startsWith('text/event-stream') === true) {
    answer.destroy();
    return { status, headers: told, text: '' };
  }
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status, headers: told, text };
}

/** Signs in as the administrator; what a browser would then send to this server. */
export async function signInByHand(url: string) {
  const { headers, text } = await ask(
    `${url}/sign-in`,
    'POST',
    { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    `token=${TOKEN}`,
  );
  const cookie = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  return { cookie, pageKey: pageKeyIn(text) };
}

/** A ticket for a path, as the page gets it. */
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
