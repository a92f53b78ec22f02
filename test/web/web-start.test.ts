import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { AgentView } from '../../src/contract/agent.ts';
import type { Session } from '../../src/contract/session.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { freePort, Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';
import { complaintsOf } from './page-checks.ts';

vi.setConfig({ testTimeout: 180_000 });
const chromium = browser();

/** Claude Code is not signed in, and no key is set. */
const signedOutOfClaude = () => ({
  HOME: temporaryDirectory(),
  CLAUDE_CONFIG_DIR: '',
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_AUTH_TOKEN: '',
  CLAUDE_CODE_OAUTH_TOKEN: '',
});

async function admin() {
  const site = await siteOf(chromium(), { env: signedOutOfClaude() });
  const { page, context } = await site.signedIn();
  const complaints = complaintsOf(page);
  const go = (path: string) => page.goto(`${site.server.url}${path}`);
  return { site, server: site.server, page, context, complaints, go };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** The accessible description of a field. */
const descriptionOf = (page: Page, label: string): Promise<string> =>
  page.getByLabel(label, { exact: true }).evaluate((field) => {
    const id = field.getAttribute('aria-describedby') ?? '';
    return field.ownerDocument.getElementById(id)?.textContent ?? '';
  });

test('[C2] the app is preloaded during sign-in', async () => {
  const { server } = await siteOf(chromium());
  const { headers } = await fetch(`${server.url}/sign-in`);
  const ahead = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel=prefetch/g)];
  const paths = ahead.map(([, path]) => path!);
  expect(paths).toContainEqual(expect.stringMatching(/\.js$/));
  expect(paths).toContainEqual(expect.stringMatching(/\.css$/));
  for (const path of paths) expect((await fetch(`${server.url}${path}`)).status).toBe(200);
});

test('[C2] [A2] from the start-up link to a finished first run without instructions', async () => {
  const env = { ...signedOutOfClaude(), CLAUDE_CONFIG_DIR: temporaryDirectory() };
  const site = await siteOf(chromium(), { env });
  const { page } = await site.visitor();
  const complaints = complaintsOf(page);
  const scripts = new Set<string>();
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.add(response.url());
  });
  await page.goto(site.link);
  await page.getByRole('heading', { name: 'Start your first session' }).waitFor();
  await page.getByText('Not ready: not signed in').waitFor();
  const packed = await Promise.all(
    [...scripts].map(async (url) => {
      const body = await (await fetch(url)).arrayBuffer();
      return gzipSync(body, { level: 9 }).length;
    }),
  );
  expect(packed.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  // The agent that works is preselected, and the field has the focus.
  expect(await page.getByRole('radio', { name: /^Shell/ }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: /^Claude Code/ }).check();
  await page.getByText('ANTHROPIC_API_KEY').waitFor();
  await page.getByRole('radio', { name: /^Shell/ }).check();
  await page.getByLabel('First command').click();
  await page.keyboard.type('echo hello there');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/s\/[0-9a-f-]+$/);
  await page.getByRole('log').getByText('hello there', { exact: true }).waitFor();
  await page.getByText('Succeeded', { exact: true }).waitFor();
  expect(await site.sessions()).toEqual(['echo hello there']);
  await page
    .getByRole('navigation', { name: 'Sessions' })
    .getByText('hello there')
    .first()
    .waitFor();

  // Once Claude Code is signed in, new sessions use it.
  writeFileSync(join(env.CLAUDE_CONFIG_DIR, '.credentials.json'), '{}');
  const isReady = async (): Promise<boolean> => {
    const { items } = await site.server.call<{ items: AgentView[] }>('GET', '/api/v1/agents');
    return items.some(({ kind, ready }) => kind === 'claude' && ready === true);
  };
  await until(isReady, { ms: 20_000, every: 200 });
  await page.getByRole('link', { name: 'New session' }).first().click();
  await page.getByText(/^Ready, version/).waitFor();
  expect(await page.getByRole('radio', { name: /^Claude Code/ }).isChecked()).toBe(true);
  expect(await page.getByLabel('First message').inputValue()).toBe('');
  expect(complaints).toEqual([]);
});

test('[C2] [S9] [H9] mistakes are shown at their fields; a double click creates one session', async () => {
  const { site, server, page, go, complaints } = await admin();
  await server.session('taken');
  await go('/new');
  await page.getByRole('radio', { name: /^Shell/ }).check();
  const start = button(page, 'Start');
  await start.click();
  expect(await descriptionOf(page, 'First command')).toBe('Enter a message.');
  await page.getByLabel('First command').fill('rm -rf /tmp/nothing-of-ours');
  await page.getByLabel('Name', { exact: true }).fill('x'.repeat(81));
  await page.getByText('More options').click();
  await page.getByLabel('Directory').fill('not/absolute');
  await page.getByLabel('Deny', { exact: true }).fill('Write\n((');
  await start.click();
  expect(await descriptionOf(page, 'Name')).toContain('1 to 80 characters');
  expect(await descriptionOf(page, 'Directory')).toContain('absolute');
  expect(await descriptionOf(page, 'Deny')).toContain('((');
  await page.getByLabel('Directory').fill('');
  await page.getByLabel('Deny', { exact: true }).fill('Write');
  await page.getByLabel('Name', { exact: true }).fill('taken');
  await start.click();
  await until(async () => /already have a session/.test(await descriptionOf(page, 'Name')), {
    ms: 15_000,
  });
  // The session is created and its message refused; the next one goes to the same session.
  await page.getByLabel('Name', { exact: true }).fill('one and only');
  await start.click();
  await until(async () => /do not allow/.test(await descriptionOf(page, 'First command')), {
    ms: 15_000,
  });
  await page.getByLabel('First command').fill('echo at last');
  await start.dblclick();
  await page.waitForURL(/\/s\//);
  await page.getByRole('log').getByText('at last', { exact: true }).waitFor();
  expect((await site.sessions()).sort()).toEqual(['one and only', 'taken']);
  const id = page.url().split('/').at(-1);
  expect(await server.call('GET', `/api/v1/sessions/${id}/policy`)).toMatchObject({
    deny: ['Write'],
  });
  const runs = await server.call<{ items: unknown[] }>('GET', `/api/v1/sessions/${id}/runs`);
  expect(runs.items).toHaveLength(1);
  // The browser logs refusals, too.
  expect(complaints.filter((each) => !/\b40[39]\b/.test(each))).toEqual([]);
});

test('[C2] everything works by keyboard: commands, help, pages, sessions, search', async () => {
  const { server, page, go, complaints } = await admin();
  await server.session('the oldest one');
  for (let i = 1; i <= 55; i++) await server.session(`number ${i}`);
  await go('/inbox');
  await page.getByText('You’re all caught up.').waitFor();
  // Beyond the loaded part of the list: the server finds it. Text typed before the palette has
  // loaded is not lost.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('oldest');
  await page.getByRole('option', { selected: true, name: 'the oldest one' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/s\//);
  await page.getByRole('heading', { name: 'the oldest one' }).waitFor();

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.waitForURL(/\/dashboard$/);
  await page.keyboard.press('j');
  await page.waitForURL(/\/s\//);
  await page.getByRole('heading', { name: 'number 55' }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'number 54' }).waitFor();

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('/');
  await page.keyboard.type('number 7');
  const rows = page.getByRole('navigation', { name: 'Sessions' }).getByRole('link');
  await until(async () => (await rows.count()) === 1, { ms: 15_000 });
  // Letters typed into the composer are not shortcuts.
  expect(page.url()).toContain('/s/');

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new sess');
  await page.getByRole('option', { selected: true, name: 'New session' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/new$/);
  await page.getByText('Not ready: not signed in').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowLeft');
  await page.getByLabel('First message').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await page.keyboard.type('echo by keys');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('by keys', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('[C2] [X3] sessions can be filtered by status, tag, owner and archive', async () => {
  const { server, page, go, complaints } = await admin();
  const { id } = await server.call<{ id: string }>('POST', '/api/v1/users', { name: 'hanako' });
  const body = { name: 'hers', userId: id, scopes: ['read', 'run'] };
  const { token } = await server.call<{ token: string }>('POST', '/api/v1/tokens', body);
  const shell = { agent: { kind: 'shell' } };
  await server.call(
    'POST',
    '/api/v1/sessions',
    { name: 'of hanako', ...shell },
    {
      authorization: `Bearer ${token}`,
    },
  );
  await server.session('tagged', { tags: ['web'] });
  const done = await server.session('over');
  await server.call('POST', `/api/v1/sessions/${done.id}/complete`);
  const old = await server.session('put away');
  await server.call('POST', `/api/v1/sessions/${old.id}/archive`);
  await go('/inbox');
  const rows = page.getByRole('navigation', { name: 'Sessions' }).getByRole('link');
  const shown = (...names: string[]) =>
    until(
      async () => {
        const texts = await rows.allInnerTexts();
        return (
          texts.length === names.length &&
          names.every((name) => texts.some((text) => text.startsWith(name)))
        );
      },
      { ms: 15_000 },
    );
  await shown('over', 'tagged', 'of hanako');
  await button(page, 'Filters').click();
  await page.getByLabel('Any status').selectOption('Closed');
  await shown('over');
  await button(page, 'Clear filters').click();
  await page.getByLabel('Owner').selectOption('hanako');
  await shown('of hanako');
  await page.getByLabel('Owner').selectOption('Mine');
  await shown('over', 'tagged');
  await page.getByLabel('Tag').fill('web');
  await shown('tagged');
  await page.getByLabel('Archived').check();
  await page.getByText('No matching sessions.').waitFor();
  await button(page, 'Clear filters').first().click();
  await shown('over', 'tagged', 'of hanako');
  await page.getByLabel('Archived').check();
  await shown('put away');
  expect(complaints).toEqual([]);
});

test('[C2] [E9] eight tabs all work, and only agent output counts as new', async () => {
  const { server, context, page, complaints } = await admin();
  const rows = (tab: Page) => tab.getByRole('navigation', { name: 'Sessions' }).getByRole('link');
  const sessions = [];
  for (let i = 0; i < 8; i++) sessions.push(await server.session(`tab ${i}`));
  const tabs = [page];
  while (tabs.length < sessions.length) tabs.push(await context.newPage());
  // All visible at once, each with the streams of a session and of the list.
  for (const [i, tab] of tabs.entries()) {
    await tab.goto(`${server.url}/s/${sessions[i]?.id}`);
    await tab.getByText('Live', { exact: true }).waitFor();
  }
  for (const [i, tab] of tabs.entries()) {
    await tab.locator('#composer').fill(`echo said by ${i}`);
    await tab.keyboard.press('Enter');
    await tab.getByRole('log').getByText(`said by ${i}`, { exact: true }).waitFor();
  }
  await server.finished(await server.send(sessions[0]!.id, 'echo once more'));
  await rows(tabs[7]!).filter({ hasText: 'once more' }).waitFor();
  // The first tab shows it too: continue only once this browser has recorded that it was read.
  const { lastOutputAt } = await server.call<Session>('GET', `/api/v1/sessions/${sessions[0]!.id}`);
  await page.waitForFunction(
    (seenAt) => localStorage['baton.seen']?.includes(seenAt),
    lastOutputAt!,
  );

  // Messages, holds and new names are not new output.
  for (const tab of tabs.slice(1)) await tab.close();
  await page.goto(`${server.url}/inbox`);
  const row = rows(page).filter({ hasText: 'tab 0' });
  const dot = row.getByRole('img', { name: 'New activity' });
  await row.waitFor();
  const { id } = sessions[0]!;
  await server.call('POST', `/api/v1/sessions/${id}/hold`);
  await server.send(id, 'echo held back');
  await server.call('PUT', `/api/v1/sessions/${id}`, { name: 'tab 0 renamed' });
  await rows(page).filter({ hasText: 'tab 0 renamed' }).waitFor();
  expect(await dot.count()).toBe(0);
  await server.call('POST', `/api/v1/sessions/${id}/resume`);
  await dot.waitFor();
  await row.click();
  await dot.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('[S12] [X3] [C2] deleted and unshared sessions disappear from other users’ lists at once', async () => {
  const { site, server } = await admin();
  const { id } = await server.call<{ id: string }>('POST', '/api/v1/users', { name: 'hanako' });
  const { code } = await server.call<{ code: string }>('POST', `/api/v1/users/${id}/sign-in-link`);
  const [kept, deleted, unshared] = [
    await server.session('stays here'),
    await server.session('is deleted'),
    await server.session('is taken back'),
  ];
  const share = (of: { id: string }, shares: object[]) =>
    server.call('PUT', `/api/v1/sessions/${of.id}/shares`, { shares });
  for (const each of [kept, deleted, unshared]) {
    await share(each, [{ user: 'hanako', level: 'view' }]);
  }
  const { page } = await site.visitor();
  await page.goto(`${server.url}/sign-in?code=${code}`);
  const names = async () =>
    (
      await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').allInnerTexts()
    ).map((text) => text.split('\n')[0]);
  await until(async () => (await names()).length === 3, { ms: 15_000 });
  await server.call('DELETE', `/api/v1/sessions/${deleted.id}`);
  await until(async () => (await names()).join() === 'is taken back,stays here', { ms: 15_000 });
  await share(unshared, []);
  await until(async () => (await names()).join() === 'stays here', { ms: 15_000 });
});

test('[X2] [C2] a viewer is offered only permitted actions, and an expired sign-in can be renewed', async () => {
  const { site, server } = await admin();
  const { id } = await server.call<{ id: string }>('POST', '/api/v1/users', {
    name: 'hanako',
    role: 'viewer',
  });
  const { code } = await server.call<{ code: string }>('POST', `/api/v1/users/${id}/sign-in-link`);
  const { page } = await site.visitor();
  await page.goto(`${server.url}/sign-in?code=${code}`);
  await page.getByText('You can view sessions that others share').waitFor();
  expect(await page.getByRole('link', { name: 'New session' }).count()).toBe(0);
  expect(await button(page, 'Start').count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Inbox' }).waitFor();
  expect(await page.getByRole('option', { name: 'New session' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  await page.getByText('Search sessions').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  for (const words of ['New session', 'Write a message', 'Deny']) {
    expect(await page.getByRole('dialog').getByText(words, { exact: true }).count()).toBe(0);
  }

  const other = await site.visitor();
  await other.page.goto(`${server.url}/sign-in?code=${await site.code()}`);
  await other.page.waitForURL(`${server.url}/`);
  await other.page.goto(`${server.url}/new`);
  await other.page.getByText('Not ready: not signed in').waitFor();
  await other.page.getByLabel('First command').fill('still here afterwards');
  await other.context.clearCookies();
  const dialog = other.page.getByRole('dialog', { name: 'You were signed out.' });
  // Its own requests may have opened the dialog already.
  await button(other.page, 'Start')
    .click({ timeout: 2000 })
    .catch(() => {});
  await dialog.waitFor();
  await dialog.getByRole('link', { name: 'Sign in' }).click();
  await other.page.waitForURL(`${server.url}/sign-in?next=%2Fnew`);
  await other.page.getByLabel('Token').fill(TOKEN);
  await other.page.keyboard.press('Enter');
  await other.page.waitForURL(`${server.url}/new`);
  const kept = other.page.getByLabel('First command');
  await until(async () => (await kept.inputValue()) === 'still here afterwards', { ms: 15_000 });
});

test('[C2] [O5] the page says when the server is gone, and when it is back', async () => {
  const dataDir = temporaryDirectory();
  const args = ['--port', String(await freePort())];
  const site = await siteOf(chromium(), { dataDir, args });
  const { page } = await site.signedIn();
  page.setDefaultTimeout(60_000);
  await page.getByText('Live', { exact: true }).waitFor();
  await site.server.kill();
  await page.getByText('Connection lost. Reconnecting…').waitFor();
  expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
  // A page that was never opened is loaded when the server is back, without a reload.
  await page.evaluate('globalThis.isSame = true');
  await page.getByRole('link', { name: 'Inbox' }).click();
  const again = await Server.start({ dataDir, args });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' });
  await page.getByText('You’re all caught up.').waitFor();
  expect(await page.evaluate('globalThis.isSame')).toBe(true);
  await again.session('made meanwhile');
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('made meanwhile').waitFor();
});
