import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_KEY_NAME } from '../../../src/contract/page-key.ts';
import type { Session } from '../../../src/contract/session.ts';
import { launch } from '../../../test/web/browser-launch.ts';
import { BatonServer } from '../../baton-server.ts';
import type { Resources } from '../../resources.ts';
import { SessionStream } from '../agents/session-stream.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** How long to wait for a value. */
const LONGEST_MS = 120_000;
/** Rare enough not to disturb the measurement. */
const POLL_MS = 50;

/** A server with the current web app, on SQLite, with a scripted program as Claude Code. */
export async function webServer(resources: Resources): Promise<BatonServer> {
  const { buildWeb } = (await import(here('../../../bin/web.mjs'))) as {
    buildWeb: (node: string, interrupted: number) => Promise<void>;
  };
  await buildWeb(process.execPath, 130);
  const path = join(resources.directory(), 'claude');
  const program = here('../../programs/scripted-agent.ts');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}'\n`, { mode: 0o755 });
  return BatonServer.start(resources, { settings: { BATON_CLAUDE_PATH: path } });
}

export async function openBrowser(resources: Resources): Promise<Browser> {
  const browser = await launch();
  resources.own(() => browser.close());
  return browser;
}

const signInCode = async (server: BatonServer): Promise<string> =>
  (await server.call<{ code: string }>('/api/v1/users/admin/sign-in-link')).code;

/** The address that signs a user in and leads to the app. */
export const signInUrl = async (server: BatonServer): Promise<string> =>
  `${server.url}/sign-in?code=${await signInCode(server)}`;

/** A new visitor with an empty cache. */
export async function newContext(
  browser: Browser,
  more: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', ...more });
  context.setDefaultTimeout(LONGEST_MS);
  await context.addInitScript({ path: here('in-page.js') });
  return context;
}

/** A signed-in user with an empty cache. */
export async function signedIn(
  server: BatonServer,
  browser: Browser,
  more: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await newContext(browser, more);
  // Uses the API of the context, which loads no page and no files.
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

/** Records when something is first visible, from the beginning of every page. */
export async function watchFor(
  page: Page,
  name: string,
  selector: string,
  text?: string,
): Promise<void> {
  const given = [name, selector, ...(text === undefined ? [] : [text])];
  await page.addInitScript(`bench.watchFor(...${JSON.stringify(given)})`);
}

/** When it was visible, in milliseconds since the navigation. */
export const seenAt = async (page: Page, name: string): Promise<number> =>
  Number(await waitForValue(page, `globalThis.bench?.seen[${JSON.stringify(name)}]`));

/** The first defined value of an expression in the page, even across navigations. */
export async function waitForValue(page: Page, expression: string): Promise<unknown> {
  const until = Date.now() + LONGEST_MS;
  while (Date.now() < until) {
    // Evaluation fails while the page navigates.
    const value: unknown = await page.evaluate(expression).catch(() => undefined);
    if (value !== undefined) return value;
    await delay(POLL_MS);
  }
  throw new Error(`${expression} never came`);
}

/** Sends a script to the agent and waits until it is done. */
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

/** A session of ten thousand events; its last message is a heading with the text of LAST. */
export async function longSession(server: BatonServer): Promise<Session> {
  const session = await server.session('ten thousand events', 'claude');
  for (let i = 1; i <= MESSAGES; i++) {
    const end = i === MESSAGES ? LAST : `The end of part ${i}`;
    await perform(server, session, { do: 'work', steps: STEPS, end });
  }
  return sessionNow(server, session.id);
}
