import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { browser } from './browser.ts';
import {
  answer,
  approvals,
  asked,
  bash,
  claudeHouse,
  ended,
  type House,
  making,
  PATIENCE,
  say,
} from './claude-session-rig.ts';
import { barriersOn, complaintsOf, quiet, tooWideOn } from './page-checks.ts';
import type { Server } from './server-rig.ts';
import { until } from './until.ts';

const chromium = browser();

/** Somebody at the inbox of a server whose agents are scripted. */
async function visit(server: Server, userId = 'admin', more: BrowserContextOptions = {}) {
  const context = await chromium().newContext({ locale: 'en-GB', ...more });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE.ms);
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const path = `/api/v1/users/${userId}/sign-in-link`;
  const { code } = await server.call<{ code: string }>('POST', path);
  await page.goto(`${server.url}/sign-in?code=${code}`);
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/inbox`);
  return { page, context, complaints };
}

const cards = (page: Page) => page.locator('[data-approval="pending"]');
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name });
const isMade = (house: House, name: string) => existsSync(join(house.work, name));

test('[A7] [C2] allowed once, edited, denied with a reason: by keys and buttons, in the inbox and in place', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const session = await house.session(server);
  const { page, complaints } = await visit(server);
  await page.getByText('Nothing waits for you.').waitFor();
  const run = await say(server, session, [
    { tools: [making('first')] },
    { tools: [making('second')], results: [{}] },
    { tools: [making('third')], results: [{}] },
    { text: 'Over.', results: [{ error: true, includes: 'not that one' }] },
  ]);

  // It comes by itself, says what will happen, where, and why it is asked.
  await cards(page).getByText('install /dev/null first').waitFor();
  await until(async () => (await page.title()).startsWith('(1) '), PATIENCE);
  await page.getByRole('heading', { name: session.name }).waitFor();
  await cards(page).getByText('No rule speaks of it').waitFor();
  await asked(server, session, run);
  await page.keyboard.press('a');
  await page.getByText('Allowed by you').waitFor();

  await cards(page).getByText('install /dev/null second').waitFor();
  expect(isMade(house, 'first')).toBe(true);
  // Letters that are written answer nothing.
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  const field = cards(page).getByRole('textbox', { name: 'command' });
  await field.fill('');
  await field.pressSequentially('install /dev/null edited');
  await button(cards(page), 'Allow with changes').click();
  await page.getByText('Allowed with changes by you').waitFor();

  // In place, in its session.
  await page.goto(`${server.url}/s/${session.id}`);
  await cards(page).getByText('install /dev/null third').waitFor();
  expect([isMade(house, 'second'), isMade(house, 'edited')]).toEqual([false, true]);
  await button(cards(page), 'Deny').click();
  await cards(page).getByLabel('Reason (optional)').fill('not that one');
  await page.keyboard.press('Enter');
  expect((await ended(server, run)).state).toBe('succeeded');
  expect(isMade(house, 'third')).toBe(false);
  expect((await approvals(server, session)).map(({ state }) => state)).toEqual([
    'denied',
    'allowed',
    'allowed',
  ]);
  await page.goto(`${server.url}/inbox`);
  await page.getByText('Nothing waits for you.').waitFor();
  await page.getByText('Denied by you').first().click();
  await page.getByText('Said: not that one').waitFor();
  await page.getByText('Allowed with changes by you').first().click();
  await page.getByText('install /dev/null edited').waitFor();
  expect(complaints).toEqual([]);
});

test('[A7] [C2] allowed for the session is asked no more; what cannot be is said; mistakes stand at the field', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const session = await house.session(server);
  const { page } = await visit(server);
  const touch = bash('install /dev/null one');
  const run = await say(server, session, [
    { tools: [touch] },
    { tools: [touch], results: [{}] },
    { tools: [bash('install /dev/null two && install /dev/null three')], results: [{}] },
    { text: 'Over.', results: [{}] },
  ]);
  await cards(page).getByText('install /dev/null one').waitFor();
  await button(cards(page), 'Edit…').click();
  await cards(page).getByRole('textbox', { name: 'command' }).fill('echo ***MASKED***');
  await button(cards(page), 'Allow with changes').click();
  await cards(page).getByText('It holds a mask').waitFor();
  expect(
    await cards(page).getByRole('textbox', { name: 'command' }).getAttribute('aria-invalid'),
  ).toBe('true');
  await page.keyboard.press('Escape');
  await page.keyboard.press('s');
  await page.getByText('Allowed for this session by you').waitFor();

  await cards(page).getByText('two && install').waitFor();
  await button(cards(page), 'Allow for this session').click();
  await cards(page).getByText('No rule can mean just this').waitFor();
  await button(cards(page), 'Allow once').click();
  expect((await ended(server, run)).state).toBe('succeeded');
  expect(await approvals(server, session)).toHaveLength(2);
  expect(isMade(house, 'three')).toBe(true);
});

test('[A7] [C2] a question and a diff by thumb at 360 px in Japanese; answered elsewhere shows at once', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const session = await house.session(server, 'asking', {});
  await server.call('PUT', `/api/v1/sessions/${session.id}/policy`, { ask: ['Write'] });
  const option = (label: string) => ({ label, description: `${label} it is` });
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [option('Red'), option('Blue')],
    },
    {
      question: 'Which pages?',
      header: 'Pages',
      multiSelect: true,
      options: [option('Home'), option('Prices')],
    },
  ];
  const file = join(house.work, 'hello.txt');
  const phone = { viewport: { width: 360, height: 740 }, locale: 'ja-JP', hasTouch: true } as const;
  const { page, complaints } = await visit(server, 'admin', { ...phone, colorScheme: 'dark' });
  const desk = await visit(server);
  const run = await say(server, session, [
    { tools: [{ name: 'AskUserQuestion', input: { questions } }] },
    {
      tools: [{ name: 'Write', input: { file_path: file, content: 'hello\nthere\n' } }],
      results: [{ includes: 'Green' }],
    },
    { text: 'Over.', results: [{}] },
  ]);
  await cards(page).getByText('Which colour?').waitFor();
  await cards(desk.page).getByText('Which colour?').waitFor();
  for (const each of [page, desk.page]) {
    await quiet(each);
    expect(await barriersOn(each)).toEqual([]);
  }
  expect(await tooWideOn(page)).toEqual([]);
  const send = button(cards(page), '回答する');
  expect(await send.isDisabled()).toBe(true);
  for (const control of await cards(page).locator('button, label').all()) {
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await cards(page).getByLabel('Which colour?').fill('Green');
  await cards(page).getByRole('checkbox', { name: /^Home/ }).tap();
  await cards(page)
    .getByRole('checkbox', { name: /^Prices/ })
    .tap();
  await send.tap();
  await page.getByText('あなたが回答しました').waitFor();
  // The other browser is told without asking.
  await desk.page.getByText('Answered by you').waitFor();

  await cards(page).getByText('hello', { exact: true }).waitFor();
  await quiet(page);
  expect(await tooWideOn(page)).toEqual([]);
  expect(await barriersOn(page)).toEqual([]);
  await desk.page.emulateMedia({ colorScheme: 'dark' });
  await cards(desk.page).getByText('hello', { exact: true }).waitFor();
  await quiet(desk.page);
  expect(await barriersOn(desk.page)).toEqual([]);
  for (const name of ['拒否', '編集…', '今回だけ許可', 'このセッションで許可']) {
    expect((await button(cards(page), name).boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  // Answered elsewhere while this page was cut off: it says so, and by whom.
  const question = await asked(server, session, run);
  await desk.context.setOffline(true);
  await button(cards(page), '今回だけ許可').tap();
  await page.getByText('あなたが許可しました').waitFor();
  await desk.context.setOffline(false);
  await desk.page.getByText('Allowed by you').waitFor();
  expect(
    (await server.fetch('POST', `/api/v1/approvals/${question.id}`, { decision: 'allow' })).status,
  ).toBe(409);
  expect((await ended(server, run)).state).toBe('succeeded');
  expect(existsSync(file)).toBe(true);
  expect(complaints).toEqual([]);
});

test('[X2] [A7] who may only look sees the question and no answer to give', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const session = await house.session(server, 'shared', {});
  const { id } = await server.call<{ id: string }>('POST', '/api/v1/users', { name: 'taro' });
  await server.call('PUT', `/api/v1/sessions/${session.id}/shares`, {
    shares: [{ user: 'taro', level: 'view' }],
  });
  const { page } = await visit(server, id);
  const run = await say(server, session, [
    { tools: [making('made')] },
    { text: 'Over.', results: [{}] },
  ]);
  await cards(page).getByText('install /dev/null made').waitFor();
  await cards(page).getByText('You may look at this session').waitFor();
  expect(await cards(page).getByRole('button').count()).toBe(0);
  await page.keyboard.press('a');
  const question = await asked(server, session, run);
  await answer(server, question, { decision: 'allow' });
  await page.getByText('Allowed by somebody else').waitFor();
  expect((await ended(server, run)).state).toBe('succeeded');
});
