import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { Server, type ServerOptions } from '../support/server-rig.ts';

/** A real server and browsers that visit it. */
export async function siteOf(browser: Browser, options: ServerOptions = {}) {
  const server = await Server.start(options);
  const link = await server.program.line('Baton is ready: ');

  const visitor = async (more: BrowserContextOptions = {}): Promise<Visitor> => {
    const context = await browser.newContext({ locale: 'en-GB', ...more });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(60_000);
    return { context, page: await context.newPage() };
  };

  return {
    server,
    link,
    visitor,
    /** A visitor who has opened the start-up link. */
    async signedIn(more: BrowserContextOptions = {}): Promise<Visitor> {
      const somebody = await visitor(more);
      await somebody.page.goto(link);
      await somebody.page.waitForURL(`${server.url}/`);
      return somebody;
    },
    /** A sign-in code for the administrator from the API. */
    async code(): Promise<string> {
      const path = '/api/v1/users/admin/sign-in-link';
      return (await server.call<{ code: string }>('POST', path)).code;
    },
    /**
     * Status codes of API calls from now on, from the server's `debug` log. Page loads are
     * excluded: the log line of a page just opened may still arrive.
     */
    answered(): () => number[] {
      const before = server.program.stderr().length;
      return () =>
        server.program
          .stderr()
          .slice(before)
          .split('\n')
          .filter((line) => line.includes('"Request answered"'))
          .map((line) => JSON.parse(line) as { status: number; route: string })
          .filter(({ route }) => route.startsWith('/api/'))
          .map(({ status }) => status);
    },
    sessions: async (): Promise<string[]> => {
      const sessions = await server.call<{ name: string }[]>('GET', '/api/v1/sessions');
      return sessions.map(({ name }) => name);
    },
  };
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
}

export const secretOf = async ({ context }: Visitor): Promise<string | undefined> =>
  (await context.cookies()).find(({ name }) => name === 'baton_session')?.value;

export const isSignedIn = async ({ page }: Visitor, url: string): Promise<boolean> => {
  await page.goto(`${url}/`);
  const at = new URL(page.url()).pathname;
  expect(['/', '/sign-in']).toContain(at);
  return at === '/';
};
