import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { freePort, Server, type ServerOptions } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { siteOf } from './browser-rig.ts';
import { complaintsOf } from './page-checks.ts';

/** The page of a session, as a user sees it. */
export class ConversationPage {
  readonly page: Page;
  readonly complaints: string[];

  constructor(page: Page) {
    this.page = page;
    this.complaints = complaintsOf(page);
  }

  get log() {
    return this.page.getByRole('log');
  }

  get composer() {
    return this.page.locator('#composer');
  }

  /** Queued messages in order. */
  get queue() {
    return this.page.getByRole('region', { name: /queued$/ }).getByRole('listitem');
  }

  async say(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  async sees(text: string): Promise<void> {
    await this.log.getByText(text, { exact: true }).first().waitFor();
  }

  /** Scrolls until a text is visible. */
  async scrollTo(text: string, by: number): Promise<void> {
    await this.log.hover();
    await until(
      async () => {
        await this.page.mouse.wheel(0, by);
        return await this.log.getByText(text, { exact: true }).first().isVisible();
      },
      { ms: 60_000, every: 20 },
    );
  }
}

/** A server that can be killed and restarted at the same address, with visitors at its sessions. */
export async function conversationRig(browser: Browser, options: ServerOptions = {}) {
  const dataDir = temporaryDirectory();
  const directory = temporaryDirectory();
  const args = ['--port', String(await freePort())];
  const site = await siteOf(browser, { dataDir, args, ...options });
  let server = site.server;
  const visitor = await site.signedIn();
  const talkOf = async (page: Page, session: Session, query = ''): Promise<ConversationPage> => {
    const talk = new ConversationPage(page);
    await page.goto(`${server.url}/s/${session.id}${query}`);
    await talk.composer.waitFor();
    return talk;
  };
  return {
    dataDir,
    context: visitor.context,
    get server() {
      return server;
    },
    open: async (session: Session, query?: string) =>
      talkOf(await visitor.context.newPage(), session, query),
    /** Another visitor at the same session, in a separate browser. */
    other: async (session: Session, more: BrowserContextOptions = {}) => {
      const { page, context } = await site.visitor(more);
      await page.goto(`${server.url}/sign-in?code=${await site.code()}`);
      await page.waitForURL(`${server.url}/`);
      return { context, talk: await talkOf(page, session) };
    },
    /** Kills the server; `start` restarts it. */
    kill: () => server.kill(),
    start: async () => {
      server = await Server.start({ dataDir, args, ...options });
    },
    /** A command that runs until it is released. */
    blockingCommand: (name: string) => blockingCommandAt(join(directory, name)),
  };
}

function blockingCommandAt(path: string) {
  return {
    command: `touch ${path}.started; until [ -e ${path} ]; do sleep 0.05; done`,
    started: () => until(() => existsSync(`${path}.started`), { ms: 30_000 }),
    release: () => writeFileSync(path, ''),
  };
}

export const runsOf = async (server: Server, session: { id: string }): Promise<RunView[]> =>
  (await server.call<{ items: RunView[] }>('GET', `/api/v1/sessions/${session.id}/runs?limit=200`))
    .items;
