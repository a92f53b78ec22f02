import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import type { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';
import { complaintsOf } from './page-checks.ts';

vi.setConfig({ testTimeout: 180_000 });
const chromium = browser();

/** The administrator at a fresh server, in English. */
async function admin() {
  const site = await siteOf(chromium());
  const { page, context } = await site.signedIn();
  const complaints = complaintsOf(page);
  const go = (path: string) => page.goto(`${site.server.url}${path}`);
  return { site, server: site.server, page, context, complaints, go };
}

const ran = async (server: Server, session: Session, ...commands: string[]): Promise<void> => {
  for (const command of commands) {
    await server.finished(await server.send(session.id, command));
    await server.call('POST', `/api/v1/sessions/${session.id}/resume`);
  }
};

const tile = (page: Page, name: string) =>
  page.getByRole('link', { name: new RegExp(`^${name}\\s*\\d`) });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Clicks an action and confirms its dialog. */
async function confirmed(page: Page, name: string): Promise<void> {
  await button(page, name).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const statusOf = async (server: Server, { id }: Session): Promise<string> =>
  (await server.call<Session>('GET', `/api/v1/sessions/${id}`)).status;

test('[C2] the dashboard first helps, then shows correct figures, and updates by itself', async () => {
  const { server, page, go, complaints } = await admin();
  await go('/dashboard');
  await page.getByText('Nothing has run yet').waitFor();
  const session = await server.session('numbers');
  await ran(server, session, 'echo 1', 'echo 2', 'exit 3');
  await tile(page, 'Succeeded').filter({ hasText: '2' }).waitFor();
  await tile(page, 'Failed').filter({ hasText: '1' }).waitFor();
  await ran(server, session, 'echo 3');
  await tile(page, 'Succeeded').filter({ hasText: '3' }).waitFor();

  const trend = page.getByRole('table', { name: 'Runs, last 7 days' });
  expect(await trend.getByRole('row').last().getByRole('cell').allTextContents()).toEqual([
    '3',
    '1',
    '0',
    '4',
  ]);
  const activity = page.locator('#activity');
  await until(async () => (await activity.getByRole('listitem').count()) === 4, { ms: 60_000 });
  await tile(page, 'Failed').click();
  await page.getByText('Recent activity: Failed').waitFor();
  await until(async () => (await activity.getByRole('listitem').count()) === 1, { ms: 60_000 });
  expect(await activity.getByRole('listitem').textContent()).toContain('exit 3');
  await page.getByLabel('Group cost').selectOption('By session');
  await page.getByText('numbers').last().waitFor();
  expect(complaints).toEqual([]);
});

test('[S1] [S10] [S12] [C2] a session is closed, reopened, forked, archived and deleted', async () => {
  const { server, page, go, complaints } = await admin();
  const session = await server.session('to-be-ended');
  await ran(server, session, 'echo hello');
  await go(`/s/${session.id}/detail`);
  await confirmed(page, 'Close session');
  await page.getByText('Closed', { exact: true }).first().waitFor();
  expect(await statusOf(server, session)).toBe('COMPLETED');
  await page.getByText('Requested by a user').waitFor();
  // Unavailable actions are not offered.
  expect(await button(page, 'Close session').count()).toBe(0);
  expect(await button(page, 'Pause').count()).toBe(0);

  await confirmed(page, 'Reopen');
  await until(async () => (await statusOf(server, session)) === 'ACTIVE', { ms: 60_000 });
  await button(page, 'Pause').waitFor();
  await confirmed(page, 'Pause');
  await page.getByText('Paused').waitFor();
  await confirmed(page, 'Resume');

  await button(page, 'Fork').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the new session').fill('x'.repeat(81));
  await dialog.getByRole('button', { name: 'Fork' }).click();
  await dialog.getByText('1 to 80 characters').waitFor();
  await dialog.getByLabel('Name of the new session').fill('to-be-ended');
  await dialog.getByRole('button', { name: 'Fork' }).click();
  await dialog.getByText('You already have a session with this name.').waitFor();
  await dialog.getByLabel('Name of the new session').fill('its fork');
  await dialog.getByRole('button', { name: 'Fork' }).click();
  await page.waitForURL(/\/s\/[^/]+$/);
  expect(page.url()).not.toContain(session.id);

  await go(`/s/${session.id}/detail`);
  await confirmed(page, 'Archive');
  await page.getByText('Archived', { exact: true }).first().waitFor();
  await button(page, 'Delete').click();
  await page.getByText('permanently deleted').waitFor();
  await button(page, 'Cancel').click();
  expect((await server.fetch('GET', `/api/v1/sessions/${session.id}`)).status).toBe(200);
  await button(page, 'Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(`${server.url}/`);
  expect((await server.fetch('GET', `/api/v1/sessions/${session.id}`)).status).toBe(404);
  expect(complaints.filter((each) => !isExpected(each))).toEqual([]);
});

/** The browser logs every refused request. */
const isExpected = (complaint: string): boolean =>
  /^Failed to load resource: .*\b(400|403|404|409)\b/.test(complaint);

test('[S9] [X3] [C2] a session is edited, with errors at the fields, and shared', async () => {
  const { server, page, go } = await admin();
  await server.session('taken');
  await server.call('POST', '/api/v1/users', { name: 'hanako', role: 'viewer' });
  const session = await server.session('mine');
  await go(`/s/${session.id}/detail`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const save = button(page, 'Save');
  await page.getByLabel('Name', { exact: true }).fill('taken');
  await save.click();
  await page.getByText('You already have a session with this name.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('renamed');
  await page.getByLabel('Budget (US$)').fill('much');
  await save.click();
  await page.getByText('Enter an amount from 0 to 1,000,000.').waitFor();
  await page.getByLabel('Budget (US$)').fill('2.5');
  await page.getByLabel('Tags').fill('web, 急ぎ');
  await page.getByLabel('Labels').fill('audit');
  await page.getByLabel('Idle time (minutes)').fill('90');
  await page.getByRole('checkbox').uncheck();
  await save.click();
  await page.getByText('Saved').waitFor();
  expect(await server.call('GET', `/api/v1/sessions/${session.id}`)).toMatchObject({
    name: 'renamed',
    tags: ['web', '急ぎ'],
    labels: ['audit'],
    idleTimeoutSeconds: 5400,
    budgetUsd: 2.5,
    holdOnFailure: false,
  });
  // A protected session cannot be deleted, and says why.
  await page.getByText('A label protects this session').waitFor();
  expect(await button(page, 'Delete').count()).toBe(0);

  await page.getByLabel('Share with').fill('nobody');
  await button(page, 'Share').click();
  await page.getByText('There is no user with this name.').waitFor();
  await page.getByLabel('Share with').fill('hanako');
  await button(page, 'Share').click();
  await page.getByLabel('Access for hanako').selectOption('Can operate');
  const shares = () => server.call('GET', `/api/v1/sessions/${session.id}/shares`);
  await until(async () => JSON.stringify(await shares()).includes('operate'), { ms: 60_000 });
  // A share removed on another page is not restored by this one.
  await server.call('POST', '/api/v1/users', { name: 'taro' });
  await server.call('PUT', `/api/v1/sessions/${session.id}/shares`, { shares: [] });
  await page.getByLabel('Share with').fill('taro');
  await button(page, 'Share').click();
  await button(page, 'Stop sharing with taro').waitFor();
  await button(page, 'Stop sharing with hanako').waitFor({ state: 'detached' });
  expect(await shares()).toMatchObject({ items: [{ userName: 'taro' }] });
  await server.call('PUT', `/api/v1/sessions/${session.id}/shares`, {
    shares: [{ user: 'taro', level: 'operate' }],
  });
  await button(page, 'Stop sharing with taro').click();
  // Unless the page has updated by then.
  const notice = page.getByText('Someone else has just changed who can see this session.');
  const notShared = page.getByText('Not shared yet.');
  await notice.or(notShared).first().waitFor();
  if (await notice.isVisible()) await button(page, 'Stop sharing with taro').click();
  await notShared.waitFor();
});

test('[A5] [E2] [C2] runs expand to their processes, events to their JSON, and both can be exported', async () => {
  const { server, page, go, complaints } = await admin();
  const session = await server.session('to-export');
  await ran(server, session, 'echo to be read; echo a complaint >&2', 'exit 7');
  await go(`/s/${session.id}/detail`);
  await page.getByRole('tab', { name: 'Runs and cost' }).click();
  await page.getByRole('button', { name: /exit 7/ }).click();
  await page.getByText('Attempt 1').waitFor();
  expect(await page.getByRole('article').textContent()).toMatch(/Exit code7/);
  await page.getByRole('button', { name: /echo to be read/ }).click();
  await page.getByText('Error output').last().click();
  await page.getByText('a complaint', { exact: true }).waitFor();

  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByLabel('Type').selectOption('run.finished');
  await page
    .getByRole('button', { name: /run\.finished/ })
    .first()
    .click();
  await page.getByText('"state": "failed"').waitFor();

  const saved = async (name: string): Promise<[string, string]> => {
    await button(page, 'Export').click();
    const coming = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    const download = await coming;
    return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
  };
  const [json, lines] = await saved('JSON (for programs)');
  expect(json).toBe('to-export.ndjson');
  const kinds = lines
    .trimEnd()
    .split('\n')
    .map((line) => Object.keys(JSON.parse(line))[0]);
  expect(kinds.slice(0, 3)).toEqual(['session', 'run', 'run']);
  expect(kinds.filter((kind) => kind === 'event').length).toBeGreaterThan(5);
  const [markdown, text] = await saved('Markdown (for reading)');
  expect(markdown).toBe('to-export.md');
  expect(text).toMatch(/^# to-export\n/);
  expect(text).toContain('> echo to be read');
  expect(text).toContain('> exit 7');
  expect(complaints).toEqual([]);
});

test('[X2] [C2] a token is created and shown once, works, and is revoked', async () => {
  const { server, page, go } = await admin();
  await go('/settings/tokens');
  await page.getByText('No tokens yet.').waitFor();
  await button(page, 'New token').click();
  const dialog = page.getByRole('dialog');
  await button(page, 'Create token').click();
  await dialog.getByText('1 to 100 characters.').waitFor();
  await dialog.getByLabel('Name').fill('nightly build');
  await dialog.getByRole('checkbox', { name: 'Run agents' }).uncheck();
  await dialog.getByLabel('Expires after').selectOption('7 days');
  await button(page, 'Create token').click();
  const token = (await page.locator('code').first().textContent()) ?? '';
  const asks = (path: string) =>
    fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(await (await asks('/me')).json()).toMatchObject({ rights: ['read'] });
  expect((await asks('/users')).status).toBe(403);
  await page.reload();
  await page.getByText('nightly build').first().waitFor();
  expect(await page.getByText(token).count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke nightly build' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked').waitFor();
  expect((await asks('/me')).status).toBe(401);
});

test('[X2] [X3] [C2] a viewer signs in with a link and sees only permitted actions', async () => {
  const { site, server, page, go } = await admin();
  const session = await server.session('shown to others');
  await ran(server, session, 'echo 1');
  await go('/settings/users');
  await button(page, 'Add user').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('not a name');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('1 to 64 letters').waitFor();
  await dialog.getByLabel('Name').fill('hanako');
  await dialog.getByLabel('Role').selectOption('Viewer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  const link = (await page.locator('code').first().textContent()) ?? '';
  await server.call('PUT', `/api/v1/sessions/${session.id}/shares`, {
    shares: [{ user: 'hanako', level: 'view' }],
  });

  const hers = await site.visitor();
  const complaints = complaintsOf(hers.page);
  await hers.page.goto(link);
  await hers.page.waitForURL(`${server.url}/`);
  await hers.page.goto(`${server.url}/s/${session.id}/detail`);
  await hers.page.getByText('Status history').waitFor();
  const main = hers.page.getByRole('main');
  expect(await main.getByRole('button').allTextContents()).toEqual(['Export']);
  expect(await main.getByRole('tab').allTextContents()).toEqual([
    'Overview',
    'Runs and cost',
    'Tool rules',
    'Events',
  ]);
  await main.getByRole('tab', { name: 'Tool rules' }).click();
  await main.getByText('Rules in force').waitFor();
  expect(await main.getByRole('button', { name: 'Change' }).count()).toBe(0);
  await hers.page.goto(`${server.url}/dashboard`);
  await tile(hers.page, 'Succeeded').filter({ hasText: '1' }).waitFor();
  await hers.page.goto(`${server.url}/settings`);
  const sections = hers.page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  await sections.first().waitFor();
  expect(await sections.allTextContents()).toEqual(['Profile', 'Your tokens']);
  await hers.page.goto(`${server.url}/settings/audit`);
  await hers.page.getByText('Only administrators can see these settings.').waitFor();
  expect(complaints).toEqual([]);

  // Disabling her takes effect immediately.
  await page.getByRole('button', { name: 'Disable hanako' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('disabled').waitFor();
  await hers.page.goto(`${server.url}/dashboard`);
  await hers.page.waitForURL(/\/sign-in/);
  await page.getByRole('button', { name: 'Enable hanako' }).click();
  await page.getByRole('button', { name: 'Disable hanako' }).waitFor();
});

test('[P1] [P2] [C2] rules are changed, and the tester says what would happen and why', async () => {
  const { server, page, go } = await admin();
  await go('/settings/rules');
  const expectVerdict = async (command: string, answer: string): Promise<void> => {
    await page.getByLabel('Command, path or pattern').fill(command);
    await button(page, 'Test').click();
    await page.locator('[aria-live="polite"]').filter({ hasText: answer }).waitFor();
  };
  await expectVerdict('rm -rf /', 'DenyChannel rule:Bash(rm -rf)');
  await page.getByRole('button', { name: 'Change All sessions' }).click();
  await page.getByLabel('Ask', { exact: true }).fill('not a rule(');
  await button(page, 'Save').click();
  await page.getByText('is not a valid rule.').waitFor();
  await page.getByLabel('Ask', { exact: true }).fill('');
  await page.getByLabel('Deny', { exact: true }).fill('Bash(terraform apply)');
  await button(page, 'Save').click();
  await page.getByRole('button', { name: 'Change All sessions' }).waitFor();
  expect(await server.call('GET', '/api/v1/policies/global')).toMatchObject({
    deny: ['Bash(terraform apply)'],
  });
  await expectVerdict('terraform apply', 'Server rule');

  // An enforced rule applies whatever a session allows.
  await page.getByRole('button', { name: 'Change All sessions' }).click();
  await page.getByLabel('Ask', { exact: true }).fill('WebFetch');
  await page.getByRole('checkbox', { name: 'Ask WebFetch' }).check();
  await button(page, 'Save').click();
  await page.getByRole('button', { name: 'Change All sessions' }).waitFor();
  expect(await server.call('GET', '/api/v1/policies/global')).toMatchObject({
    ask: ['WebFetch'],
    enforced: ['WebFetch'],
  });
  await page.getByRole('img', { name: 'Enforced' }).waitFor();

  const session = await server.session('with rules');
  await go(`/s/${session.id}/detail`);
  await page.getByRole('tab', { name: 'Tool rules' }).click();
  await page.getByRole('button', { name: 'Change 1. This session' }).click();
  await page.getByLabel('Allow', { exact: true }).fill('Bash(terraform apply)');
  await button(page, 'Save').click();
  await page.getByRole('button', { name: 'Change 1. This session' }).waitFor();
  await expectVerdict('terraform apply', 'Session rule');
  await server.call('PUT', '/api/v1/policies/global', {
    deny: ['Bash(terraform apply)'],
    enforced: ['Bash(terraform apply)'],
  });
  await expectVerdict('terraform apply', 'DenyServer rule:Bash(terraform apply)Enforced');

  // A rule added by someone else is not overwritten silently.
  const policy = `/api/v1/sessions/${session.id}/policy`;
  await page.getByRole('button', { name: 'Change 1. This session' }).click();
  await page.getByLabel('Ask', { exact: true }).fill('Write');
  await server.call('PUT', policy, { deny: ['Bash(terraform destroy)'] });
  await button(page, 'Save').click();
  await page.getByText('These rules were changed while you were editing.').waitFor();
  await page.getByText('Bash(terraform destroy)', { exact: true }).waitFor();
  await button(page, 'Merge into mine').click();
  await button(page, 'Save').click();
  await page.getByRole('button', { name: 'Change 1. This session' }).waitFor();
  const both = { allow: [], ask: ['Write'], deny: ['Bash(terraform destroy)'] };
  expect(await server.call('GET', policy)).toMatchObject(both);
  await page.getByRole('button', { name: 'Change 1. This session' }).click();
  await server.call('PUT', policy, { deny: ['Read'] });
  await button(page, 'Save').click();
  await button(page, 'Save mine').click();
  await page.getByRole('button', { name: 'Change 1. This session' }).waitFor();
  expect(await server.call('GET', policy)).toMatchObject(both);

  // A rule that someone else has enforced stays enforced.
  await go('/settings/rules');
  await page.getByRole('button', { name: 'Change All sessions' }).click();
  await page.getByLabel('Ask', { exact: true }).fill('WebSearch');
  const rules = ['Bash(terraform apply)', 'Bash(shutdown)'];
  await server.call('PUT', '/api/v1/policies/global', { deny: rules, enforced: rules });
  await button(page, 'Save').click();
  await button(page, 'Merge into mine').click();
  await button(page, 'Save').click();
  await page.getByRole('button', { name: 'Change All sessions' }).waitFor();
  expect(await server.call('GET', '/api/v1/policies/global')).toMatchObject({
    ask: ['WebSearch'],
    deny: rules,
    enforced: rules,
  });
});

test('[P6] [C2] the audit log is filtered, expanded and exported; nodes show their health', async () => {
  const { server, page, go, complaints } = await admin();
  await server.call('POST', '/api/v1/users', { name: 'taro' });
  await server.session('audited');
  await go('/settings/audit');
  const lines = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  await until(async () => (await lines.count()) === 3, { ms: 60_000 });
  await page.getByLabel('Action').selectOption('Added a user');
  await until(async () => (await lines.count()) === 1, { ms: 60_000 });
  await lines.first().click();
  await page.getByText('127.0.0.1').waitFor();
  const coming = page.waitForEvent('download');
  await button(page, 'Export').click();
  const text = readFileSync(await (await coming).path(), 'utf8');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).action),
  ).toEqual(['user.create']);
  await page.getByLabel('Channel').selectOption('LINE');
  await page.getByText('No matching entries.').waitFor();
  await button(page, 'Clear filters').click();
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('No matching entries.').waitFor();

  await go('/settings/nodes');
  await page.getByText('Last heartbeat').waitFor();
  const nodes = await server.call<{ items: { pid: number }[] }>('GET', '/api/v1/nodes');
  await page.getByText(String(nodes.items[0]?.pid), { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('[X1] [C2] signing out in the profile works', async () => {
  const { server, page, go } = await admin();
  await go('/settings/profile');
  await page.getByLabel('Language').selectOption('日本語');
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  await page.getByLabel('言語').selectOption('English');
  await button(page, 'Sign out').click();
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${server.url}/dashboard`);
  await page.waitForURL(/\/sign-in/);
});
