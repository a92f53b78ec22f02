import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { SignInLink, User } from '../../src/contract/access.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';
import { complaintsOf } from './page-checks.ts';

vi.setConfig({ testTimeout: 180_000 });
const chromium = browser();

const banner = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'Everything is stopped.' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('[C2] [X2] an administrator stops everything; every open page says so at once, and resuming continues the runs', async () => {
  const site = await siteOf(chromium());
  const { server } = site;
  const { page } = await site.signedIn();
  const complaints = complaintsOf(page);
  const hanako = await server.call<User>('POST', '/api/v1/users', { name: 'hanako' });
  const link = await server.call<SignInLink>('POST', `/api/v1/users/${hanako.id}/sign-in-link`);
  const { page: other } = await site.visitor();
  await other.goto(link.url);
  await other.waitForURL(`${server.url}/`);
  const session = await server.session('works');
  await server.call('PUT', `/api/v1/sessions/${session.id}/shares`, {
    shares: [{ user: 'hanako', level: 'operate' }],
  });
  const run = await server.send(session.id, 'sleep 600');
  await server.inState(run, 'running');
  await other.goto(`${server.url}/s/${session.id}`);
  await other.getByRole('status').getByText('Running', { exact: true }).waitFor();

  await page.goto(`${server.url}/settings/nodes`);
  await button(page, 'Stop everything…').click();
  await page
    .getByLabel('Reason (optional)')
    .fill('A key leaked: ghp_0123456789abcdefghijABCDEFGHIJ012345');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
  await banner(page).waitFor();
  expect(await banner(page).innerText()).toContain('A key leaked: ***GITHUB_TOKEN***');
  expect(await button(page, 'Stop everything…').count()).toBe(0);

  // Without a reload; other users cannot resume.
  await banner(other).waitFor();
  expect(await banner(other).innerText()).toContain('Stopped by admin');
  expect(await button(other, 'Resume').count()).toBe(0);
  await other.getByText('An administrator stopped everything.').waitFor();
  await other.getByRole('status').getByText('Queued', { exact: true }).waitFor();
  await server.inState(run, 'queued');
  await other.getByRole('textbox', { name: 'Message' }).fill('echo later');
  await other.keyboard.press('Enter');
  await other.getByText('echo later').waitFor();
  const runs = () => server.call<{ items: { state: string }[] }>('GET', '/api/v1/runs');
  await until(async () => (await runs()).items.length === 2, { ms: 30_000 });
  expect((await runs()).items.map(({ state }) => state)).toEqual(['queued', 'queued']);
  await other.reload();
  await banner(other).waitFor();

  await button(page, 'Resume').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await banner(page).waitFor({ state: 'detached' });
  await banner(other).waitFor({ state: 'detached' });
  await server.inState(run, 'running');
  await other.getByRole('status').getByText('Running', { exact: true }).waitFor();
  await button(page, 'Stop everything…').waitFor();
  await page.goto(`${server.url}/settings/audit`);
  await page.getByRole('listitem').filter({ hasText: 'Resumed everything' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Stopped everything' }).waitFor();
  expect(complaints).toEqual([]);
});
