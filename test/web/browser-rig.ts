import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { Server, type ServerOptions } from '../support/server-rig.ts';

/** A real server, and people with browsers at it. */
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
    /** Somebody who has opened the link of the start. */
    async signedIn(more: BrowserContextOptions = {}): Promise<Visitor> {
      const somebody = await visitor(more);
      await somebody.page.goto(link);
      await somebody.page.waitForURL(`${server.url}/`);
      return somebody;
    },
    /** A code for the administrator, as the API makes links. */
    async code(): Promise<string> {
      const path = '/api/v1/users/admin/sign-in-link';
      return (await server.call<{ code: string }>('POST', path)).code;
    },
    /**
     * With what status calls of the API were answered from now on, as the log of the server says at
     * `debug`. Of pages not: the line of one that was just opened may still come.
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
      const found = await server.call<{ name: string }[]>('GET', '/api/v1/sessions');
      return found.map(({ name }) => name);
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
