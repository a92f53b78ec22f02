import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_KEY_NAME } from '../../../src/contract/page-key.ts';
import type { Session } from '../../../src/contract/session.ts';
import { launch } from '../../../test/web/browser-launch.ts';
import { BatonServer } from '../../baton-server.ts';
import type { Place } from '../../place.ts';
import { SessionStream } from '../agents/session-stream.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Then it does not come any more. */
const LONGEST_MS = 120_000;
/** Seldom enough not to be in the way of what is measured. */
const LOOK_MS = 50;

/** A server with the web app as it is now, on SQLite, whose Claude Code is a program with a script. */
export async function webServer(place: Place): Promise<BatonServer> {
  const { buildWeb } = (await import(here('../../../bin/web.mjs'))) as {
    buildWeb: (node: string, interrupted: number) => Promise<void>;
  };
  await buildWeb(process.execPath, 130);
  const path = join(place.directory(), 'claude');
  const program = here('../../programs/scripted-agent.ts');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}'\n`, { mode: 0o755 });
  return BatonServer.start(place, { settings: { BATON_CLAUDE_PATH: path } });
}

export async function openBrowser(place: Place): Promise<Browser> {
  const browser = await launch();
  place.own(() => browser.close());
  return browser;
}

const signInCode = async (server: BatonServer): Promise<string> =>
  (await server.call<{ code: string }>('/api/v1/users/admin/sign-in-link')).code;

/** The address that signs somebody in and leads to the app. */
export const signInUrl = async (server: BatonServer): Promise<string> =>
  `${server.url}/sign-in?code=${await signInCode(server)}`;

/** Somebody who has never been there: nothing is in the cache. */
export async function newContext(
  browser: Browser,
  more: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', ...more });
  context.setDefaultTimeout(LONGEST_MS);
  await context.addInitScript({ path: here('in-page.js') });
  return context;
}

/** Somebody who is signed in, and still has nothing in the cache. */
export async function signedIn(
  server: BatonServer,
  browser: Browser,
  more: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await newContext(browser, more);
  // Over the API of the context, so that no page and none of its files are loaded.
  const answer = await context.request.post(`${server.url}/sign-in`, {
    form: { code: await signInCode(server) },
    headers: { origin: server.url },
  });
  const [, pageKey] = /data-page-key="([^"]+)"/.exec(await answer.text()) ?? [];
  const kept = [PAGE_KEY_NAME, String(pageKey)].map((each) => JSON.stringify(each)).join(', ');
  const origin = JSON.stringify(server.url);
  await context.addInitScript(`if (location.origin === ${origin}) localStorage.setItem(${kept});`);
  return context;
}

/** Notes from the beginning of every page on when something was first in sight. */
export async function lookFor(
  page: Page,
  name: string,
  selector: string,
  text?: string,
): Promise<void> {
  const given = [name, selector, ...(text === undefined ? [] : [text])];
  await page.addInitScript(`bench.look(...${JSON.stringify(given)})`);
}

/** When it was, in milliseconds since the navigation. */
export const seenAt = async (page: Page, name: string): Promise<number> =>
  Number(await told(page, `globalThis.bench?.seen[${JSON.stringify(name)}]`));

/** The first value of an expression in the page that is not undefined, also over navigations. */
export async function told(page: Page, expression: string): Promise<unknown> {
  const until = Date.now() + LONGEST_MS;
  while (Date.now() < until) {
    // A page that is just being left answers nothing.
    const value: unknown = await page.evaluate(expression).catch(() => undefined);
    if (value !== undefined) return value;
    await delay(LOOK_MS);
  }
  throw new Error(`${expression} never came`);
}

/** Sends a script to the agent and waits until it has done it. */
export async function perform(server: BatonServer, { id }: Session, script: object): Promise<void> {
  const { lastSeq } = await sessionNow(server, id);
  const stream = await SessionStream.open(server.url, id, lastSeq);
  const done = stream.done();
  await send(server, id, script);
  await done;
  stream.close();
}

const sessionNow = (server: BatonServer, id: string): Promise<Session> =>
  server.call(`/api/v1/sessions/${id}`, undefined, 'GET');

export const send = (server: BatonServer, id: string, script: object): Promise<unknown> =>
  server.send(id, JSON.stringify(script));

export const LAST = 'The last word';
const STEPS = 56;
const MESSAGES = 10;

/** A session of ten thousand events; the last message is a heading with the words of LAST. */
export async function longSession(server: BatonServer): Promise<Session> {
  const session = await server.session('ten thousand events', 'claude');
  for (let i = 1; i <= MESSAGES; i++) {
    const end = i === MESSAGES ? LAST : `The end of part ${i}`;
    await perform(server, session, { do: 'work', steps: STEPS, end });
  }
  return sessionNow(server, session.id);
}
