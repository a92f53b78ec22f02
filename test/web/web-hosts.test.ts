import { expect, test, vi } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { Cluster } from '../cluster/cluster-rig.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';

vi.setConfig({ testTimeout: 180_000 });
const chromium = browser();

test('[Q23] [C2] the machine is asked for once there are several', async () => {
  const cluster = await Cluster.create();
  const env = cluster.environment({ host: 'id-1', name: 'build' });
  const site = await siteOf(chromium(), { env });
  const { page } = await site.signedIn();
  await page.goto(`${site.server.url}/new`);
  await page.getByRole('radio', { name: /^Shell/ }).check();
  await page.getByLabel('First command').fill('pwd');
  await page.getByText('More options').click();
  const path = temporaryDirectory();
  await page.getByLabel('Directory').fill(path);
  const machine = page.getByLabel('Machine', { exact: true });
  expect(await machine.count()).toBe(0);

  // A second one joins while the form is open.
  await cluster.node('worker', { host: 'id-2', name: 'build' });
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.click();
  await page.getByText('Choose the machine that has the directory.').waitFor();
  // The list of machines is loaded again when the server asks for one.
  await machine.locator('option', { hasText: 'build-2' }).waitFor({ state: 'attached' });
  expect(await machine.locator('option').allTextContents()).toEqual([
    'Any machine',
    'build',
    'build-2',
  ]);
  await machine.selectOption('build-2');
  await start.click();
  await page.waitForURL(/\/s\//);
  await page.getByRole('log').getByText(path, { exact: true }).waitFor();
  const id = page.url().split('/').at(-1);
  const session = await site.server.call<Session>('GET', `/api/v1/sessions/${id}`);
  expect(session).toMatchObject({ host: 'id-2', hostName: 'build-2', workspace: { path } });
  await page.goto(`${site.server.url}/s/${id}/detail`);
  await page.getByText('build-2', { exact: true }).waitFor();
});
