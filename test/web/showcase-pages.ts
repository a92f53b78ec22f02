import type { Page } from 'playwright-core';
import { APP_PATHS } from '../../src/server/web/paths.ts';
import type { Showcase } from './showcase.ts';

/** A page of the web app, with the actions to perform before checking it. */
export interface Shot {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<unknown>;
  /** Restores the state for the other pages. */
  readonly undo?: (page: Page) => Promise<unknown>;
  /** Shown to visitors who are not signed in. */
  readonly isOutside?: boolean;
}

export const DEVICES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 360, height: 740 },
} as const;
export const LANGUAGES = { en: 'en-GB', ja: 'ja-JP' } as const;

const tab = (index: number) => (page: Page) => page.getByRole('tab').nth(index).click();
const button = (selector: string) => (page: Page) => page.locator(selector).first().click();

/** The rules for all sessions come last. */
const lastButton = (page: Page) => page.locator('main button:has(.lucide-pencil)').last().click();

/** A form with errors at its fields. */
async function mistaken(page: Page): Promise<void> {
  await page.locator('main input[name="name"]').fill('x'.repeat(81));
  await page.locator('main details summary').click();
  await page.locator('main input[name="path"]').fill('not/absolute');
  await page.locator('main button[type="submit"]').click();
  await page.locator('main [aria-invalid="true"]').first().waitFor();
}

const HOSTS = '**/api/v1/hosts';

/** The form as it is where agents run on several machines. */
async function severalHosts(page: Page): Promise<void> {
  const items = [
    { id: 'a', name: 'build-1.tokyo.example.com', alive: true },
    { id: 'b', name: 'build-2.tokyo.example.com', alive: true },
    { id: 'c', name: 'hanako-laptop', alive: false },
  ];
  await page.route(HOSTS, (route) => route.fulfill({ json: { items } }));
  await page.reload();
  await page.locator('main details summary').click();
  await page.locator('main select[name="host"]').selectOption('c');
}

/** Removes the choice from the draft, and the fake answer. */
async function oneHost(page: Page): Promise<void> {
  await page.locator('main select[name="host"]').selectOption('');
  await page.unroute(HOSTS);
}

const askToStop = button('main button:has(.lucide-octagon-pause)');
const banner = (page: Page) => page.locator('[role="status"]:has(.lucide-octagon-pause)');

/** Stops everything, with a reason of realistic length. */
async function stopEverything(page: Page): Promise<void> {
  await askToStop(page);
  const reason =
    'An agent pushed to the wrong repository. We are checking what else it did and rotating the deploy keys; this takes about an hour.';
  await page.locator('input[name="reason"]').fill(reason);
  await page.locator('[role="dialog"] button[type="submit"]').click();
  await banner(page).waitFor();
}

async function resumeEverything(page: Page): Promise<void> {
  await banner(page).getByRole('button').click();
  await page.getByRole('dialog').getByRole('button').last().click();
  await banner(page).waitFor({ state: 'detached' });
}

/** Every page once; screenshots and layout tests use them. */
export function everyPage(showcase: Pick<Showcase, 'sessions'>): Shot[] {
  const shots = knownShots(showcase);
  const others = APP_PATHS.filter(
    (path) =>
      !path.includes('{') && !shots.some((shot) => shot.path === path && shot.act === undefined),
  );
  return [...shots, ...others.map((path) => ({ name: path.slice(1), path }))];
}

/** Pages in several states. A page that is not here appears as it is. */
function knownShots({ sessions }: Pick<Showcase, 'sessions'>): Shot[] {
  const detail = `/s/${sessions.claude}/detail`;
  return [
    { name: 'sign-in', path: '/sign-in', isOutside: true },
    { name: 'sign-in-without-key', path: '/sign-in?without=key', isOutside: true },
    { name: 'start', path: '/' },
    { name: 'start-filters', path: '/', act: button('button:visible:has(.lucide-list-filter)') },
    { name: 'new', path: '/new' },
    { name: 'new-options', path: '/new', act: button('main details summary') },
    { name: 'new-hosts', path: '/new', act: severalHosts, undo: oneHost },
    { name: 'new-mistakes', path: '/new', act: mistaken },
    { name: 'session-claude', path: `/s/${sessions.claude}` },
    { name: 'session-failed', path: `/s/${sessions.failed}` },
    { name: 'session-running', path: `/s/${sessions.running}` },
    { name: 'session-completed', path: `/s/${sessions.completed}` },
    { name: 'session-error', path: `/s/${sessions.error}` },
    { name: 'dashboard-table', path: '/dashboard', act: button('figure button') },
    { name: 'detail', path: detail },
    { name: 'detail-runs', path: detail, act: tab(1) },
    { name: 'detail-rules', path: detail, act: tab(2) },
    { name: 'detail-edit', path: detail, act: tab(3) },
    { name: 'detail-events', path: detail, act: tab(4) },
    { name: 'detail-error', path: `/s/${sessions.error}/detail` },
    { name: 'detail-fork', path: detail, act: button('main button:has(.lucide-git-fork)') },
    { name: 'settings', path: '/settings' },
    ...['profile', 'tokens', 'users', 'rules', 'audit', 'nodes'].map((section) => ({
      name: `settings-${section}`,
      path: `/settings/${section}`,
    })),
    { name: 'settings-rules-edit', path: '/settings/rules', act: lastButton },
    { name: 'settings-new-token', path: '/settings/tokens', act: button('main button') },
    { name: 'settings-stop', path: '/settings/nodes', act: askToStop },
    {
      name: 'stopped',
      path: '/settings/nodes',
      act: stopEverything,
      undo: resumeEverything,
    },
    {
      name: 'stopped-session',
      path: '/settings/nodes',
      act: async (page) => {
        await stopEverything(page);
        await page.goto(new URL(`/s/${sessions.running}`, page.url()).href);
        await banner(page).waitFor();
      },
      undo: resumeEverything,
    },
    { name: 'commands', path: '/inbox', act: (page) => page.keyboard.press('Control+k') },
  ];
}
