import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { barriersOn, tooWideOn } from './page-checks.ts';
import { conversationRig, runsOf } from './web-conversation-rig.ts';

vi.setConfig({ testTimeout: 240_000 });
const chromium = browser();

test('[C2] a first message, its answer, and actions after a failure', async () => {
  const { server, open } = await conversationRig(chromium());
  const session = await server.session('first steps');
  const talk = await open(session);
  await talk.page.getByText('Send a command to see its output here.').waitFor();
  // Enter during an IME composition belongs to the composition.
  await talk.composer.fill('echo hel');
  await talk.composer.dispatchEvent('keydown', { key: 'Enter', isComposing: true, keyCode: 229 });
  await talk.composer.press('End');
  await talk.composer.pressSequentially('lo');
  await talk.composer.press('Shift+Enter');
  await talk.composer.pressSequentially('echo again');
  await talk.composer.press('Enter');
  await talk.log.locator('pre', { hasText: /^hello\nagain\n$/ }).waitFor();
  await talk.sees('Succeeded');
  expect(await talk.composer.inputValue()).toBe('');
  expect(await runsOf(server, session)).toHaveLength(1);

  await talk.say('echo oh no; exit 3');
  await talk.log.getByText('The command failed.').waitFor();
  await talk.log.getByText('The command exited with code 3.').waitFor();
  await talk.button('Try again').click();
  await until(async () => (await runsOf(server, session)).length === 3, { ms: 20_000 });
  await talk.log.getByText('Retry', { exact: false }).first().waitFor();

  // One tab stop for the links of all rows; the arrow keys move between rows.
  const links = talk.log.getByRole('button', { name: 'Copy link' });
  const stops = () => talk.log.locator('[data-row-tools] button[tabindex="0"]').count();
  await until(async () => (await stops()) === 1);
  const last = (await links.count()) - 1;
  await links.nth(last).focus();
  await talk.page.keyboard.press('ArrowUp');
  const isFocused = (at: number) => links.nth(at).evaluate((e) => e.matches(':focus'));
  expect(await isFocused(last - 1)).toBe(true);
  await talk.page.keyboard.press('ArrowDown');
  expect(await isFocused(last)).toBe(true);
  expect(await barriersOn(talk.page)).toEqual([]);
  expect(talk.complaints).toEqual([]);
});

test('[C2] [Q12] queued messages can be edited, moved and removed, and continue when resumed', async () => {
  const { server, open, blockingCommand } = await conversationRig(chromium());
  const session = await server.session('the queue');
  const talk = await open(session);
  const first = blockingCommand('first');
  await talk.say(first.command);
  await first.started();
  for (const each of ['echo zero', 'echo one', 'echo two', 'echo three']) {
    await talk.say(each);
    await talk.queue.filter({ hasText: each }).waitFor();
  }
  const order = () => talk.queue.allInnerTexts();
  await until(async () => (await order()).join('|') === 'echo zero|echo one|echo two|echo three');

  const row = (text: string) => talk.queue.filter({ hasText: text });
  await row('echo one').getByRole('button', { name: 'Edit' }).click();
  const field = talk.page.getByRole('textbox', { name: 'Edit queued message' });
  await field.fill('echo ONE');
  // The text being written stays with its message when the message moves up.
  await row('echo zero').getByRole('button', { name: 'Remove from queue' }).click();
  await row('echo zero').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('echo ONE');
  await field.press('Enter');
  await row('echo ONE').waitFor();
  // With the keyboard.
  await row('echo three').getByRole('button', { name: /^Drag/ }).press('ArrowUp');
  await until(async () => (await order()).join('|') === 'echo ONE|echo three|echo two');
  // By dragging.
  await row('echo two').dragTo(row('echo ONE'));
  await until(async () => (await order()).join('|') === 'echo two|echo ONE|echo three');
  await row('echo three').getByRole('button', { name: 'Remove from queue' }).click();
  await until(async () => (await order()).join('|') === 'echo two|echo ONE');
  const queued = async () =>
    (await runsOf(server, session)).filter(({ state }) => state === 'queued').length;
  await until(async () => (await queued()) === 2);
  expect(await barriersOn(talk.page)).toEqual([]);

  // Stopped by a user, the queue waits to be resumed.
  await talk.button('Stop').click();
  await talk.log.getByText('The queue is paused because a run was stopped.').waitFor();
  await talk.button('Resume').first().click();
  await talk.log.locator('pre', { hasText: /^two\n$/ }).waitFor();
  await talk.log.locator('pre', { hasText: /^ONE\n$/ }).waitFor();
  expect(await talk.log.locator('pre', { hasText: 'three' }).count()).toBe(0);

  // Scheduled messages are listed, too, with their time.
  const body = { message: 'echo later', runAt: new Date(Date.now() + 3_600_000).toISOString() };
  await server.call('POST', `/api/v1/sessions/${session.id}/messages`, body);
  await row('echo later')
    .getByText(/^starts .*\d\d:\d\d$/)
    .waitFor();
  await row('echo later').getByRole('button', { name: 'Edit' }).click();
  await field.fill('echo much later');
  await field.press('Enter');
  await row('echo much later').getByRole('button', { name: 'Remove from queue' }).click();
  await until(async () => (await queued()) === 0);
  await talk.queue.first().waitFor({ state: 'detached' });
  expect(talk.complaints).toEqual([]);
});

test('[C2] [Q12] a change to the queue that the server refuses is undone, and the page says why', async () => {
  const { server, open, blockingCommand } = await conversationRig(chromium());
  const talk = await open(await server.session('refused'));
  const first = blockingCommand('first');
  await talk.say(first.command);
  await first.started();
  for (const each of ['echo one', 'echo two']) {
    await talk.say(each);
    await talk.queue.filter({ hasText: each }).waitFor();
  }
  const order = async () => (await talk.queue.allInnerTexts()).join('|');
  const row = (text: string) => talk.queue.filter({ hasText: text });
  const error = { code: 'run_not_queued', message: 'It has started.', status: 409 };
  await talk.page.route('**/api/v1/runs/*', (route) =>
    route.fulfill({ status: 409, json: { error } }),
  );
  await row('echo two').getByRole('button', { name: /^Drag/ }).press('ArrowUp');
  await talk.page.getByRole('alert').waitFor();
  await until(async () => (await order()) === 'echo one|echo two');
  await row('echo one').getByRole('button', { name: 'Remove from queue' }).click();
  await until(async () => (await order()) === 'echo one|echo two');
});

test('[Q11] a message to a busy session interrupts if that was chosen, and the choice is remembered', async () => {
  const { server, open, blockingCommand } = await conversationRig(chromium());
  const session = await server.session('interrupted');
  const talk = await open(session);
  const long = blockingCommand('long');
  await talk.say(long.command);
  await long.started();
  // A shell takes no follow-ups.
  await talk.page.getByRole('radio').first().waitFor();
  expect(await talk.page.getByRole('radio').count()).toBe(2);
  await talk.page.getByText('Interrupt', { exact: true }).click();
  await talk.say('echo instead');
  await talk.log.locator('pre', { hasText: /^instead\n$/ }).waitFor();
  await talk.sees('Cancelled');
  const again = blockingCommand('again');
  await talk.say(again.command);
  await again.started();
  await talk.page.reload();
  expect(await talk.page.getByRole('radio', { name: 'Interrupt' }).isChecked()).toBe(true);
  again.release();
  await talk.button('Send').waitFor();
  expect(talk.complaints).toEqual([]);
});

test('[C2] the page follows live text only at the end, and nothing jumps while reading further up', async () => {
  const { server, open, blockingCommand } = await conversationRig(chromium());
  const session = await server.session('reader');
  const talk = await open(session);
  await talk.say('seq 1 60');
  await talk.sees('Succeeded');
  const before = blockingCommand('before');
  const after = blockingCommand('after');
  const lines = (from: number, to: number) => `seq -f 'line %g' ${from} ${to}`;
  await talk.say(`${before.command}; ${lines(1, 80)}; ${after.command}; ${lines(81, 160)}`);
  await before.started();
  before.release();
  await talk.log.locator('pre', { hasText: 'line 80\n' }).waitFor();
  const left = async () =>
    (await talk.log.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop)) as number;
  await until(async () => (await left()) < 60);
  // Scroll up to the first answer.
  await talk.log.hover();
  await talk.page.mouse.wheel(0, -700);
  const button = talk.button('Jump to latest');
  await button.waitFor();
  const anchor = talk.log.locator('[data-seq]').first();
  const top = async () => (await anchor.boundingBox())?.y;
  const stood = await top();
  after.release();
  await talk.button('New messages').waitFor();
  await server.finished((await runsOf(server, session)).at(-1)!.id);
  expect(await top()).toBe(stood);
  await talk.button('New messages').click();
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  await until(async () => (await left()) < 60);
  expect(talk.complaints).toEqual([]);
});

test('[C2] ten thousand events open at the end, scroll to the first, and can be searched', async () => {
  const at = await conversationRig(chromium());
  const session = await at.server.session('long');
  await at.server.finished(await at.server.send(session.id, 'echo the beginning'));
  await at.server.stop();
  lengthen(join(at.dataDir, 'baton.db'), session.id, 10_000);
  await at.start();
  const talk = await at.open(session);
  await talk.log.getByText('said number 10000', { exact: true }).waitFor();
  // Only a few rows are rendered at a time.
  expect(await talk.log.locator('[data-seq]').count()).toBeLessThan(100);
  await talk.scrollTo('the beginning', -20_000);
  await talk.button('Jump to latest').click();
  await talk.log.getByText('said number 10000', { exact: true }).waitFor();

  await talk.page.keyboard.press('Control+f');
  const field = talk.page.getByRole('searchbox', { name: 'Search this conversation' });
  await field.fill('said number 1234');
  await talk.page.getByText('0 of 1', { exact: true }).waitFor();
  await field.press('Enter');
  await talk.log.getByText('said number 1234', { exact: true }).waitFor();
  await field.press('Escape');

  // A permalink scrolls to its event.
  const linked = await at.open(session, '?event=2345');
  await linked.log.getByText('said number 2345', { exact: true }).waitFor();
  expect(await barriersOn(linked.page)).toEqual([]);
  expect([...talk.complaints, ...linked.complaints]).toEqual([]);
});

/** Adds notices to a log until it has this many events; the database must not be open elsewhere. */

function lengthen(path: string, lane: string, to: number): void {
  const database = new DatabaseSync(path);
  const { next_seq: next } = database
    .prepare('SELECT next_seq FROM lanes WHERE id = ?')
    .get(lane) as { next_seq: number };
  const add = database.prepare('INSERT INTO events VALUES (?, ?, NULL, NULL, ?, ?, ?)');
  database.exec('BEGIN');
  for (let seq = next; seq <= to; seq++) {
    const payload = JSON.stringify({ text: `said number ${seq}` });
    add.run(lane, seq, 'agent.notice', payload, Date.now());
  }
  database.prepare('UPDATE lanes SET next_seq = ? WHERE id = ?').run(to + 1, lane);
  database.exec('COMMIT');
  database.close();
}

test('[X2] a viewer sees no actions; a phone shows everything', async () => {
  const at = await conversationRig(chromium());
  const session = await at.server.session('shared');
  await at.server.finished(await at.server.send(session.id, 'exit 1'));
  const { id } = await at.server.call<{ id: string }>('POST', '/api/v1/users', { name: 'viewer' });
  const shares = [{ user: 'viewer', level: 'view' }];
  await at.server.call('PUT', `/api/v1/sessions/${session.id}/shares`, { shares });
  const link = await at.server.call<{ url: string }>('POST', `/api/v1/users/${id}/sign-in-link`);
  const context = await chromium().newContext({
    locale: 'ja-JP',
    viewport: { width: 360, height: 740 },
  });
  const page = await context.newPage();
  await page.goto(link.url);
  await page.waitForURL(`${at.server.url}/`);
  await page.goto(`${at.server.url}/s/${session.id}`);
  await page.getByText('このセッションは閲覧のみできます。').waitFor();
  await page.getByText('コマンドがエラーで終了しました。').waitFor();
  expect(await page.locator('#composer').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'もう一度実行' }).count()).toBe(0);
  expect(await tooWideOn(page)).toEqual([]);
  await context.close();
});

test('[S1] [S12] [C2] an open page says when its session is stopped or deleted while the agent works', async () => {
  const { server, open, context, blockingCommand } = await conversationRig(chromium());
  const session = await server.session('ended elsewhere');
  const talk = await open(session);
  const first = blockingCommand('first');
  await talk.say(first.command);
  await first.started();
  await talk.say('echo never');
  await talk.queue.filter({ hasText: 'echo never' }).waitFor();

  const detail = await context.newPage();
  await detail.goto(`${server.url}/s/${session.id}/detail`);
  const confirm = async (action: string, help: string) => {
    await detail.getByRole('button', { name: action, exact: true }).click();
    const dialog = detail.getByRole('dialog');
    await dialog.getByText(help, { exact: false }).waitFor();
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await confirm('Stop and close', 'The current run is stopped and queued runs are cancelled.');
  await talk.log.getByText('The session was stopped and closed. Its history is kept.').waitFor();
  await talk.sees('Cancelled');
  await talk.page.getByText('This session is closed.').waitFor();
  expect(await talk.queue.count()).toBe(0);
  expect(await talk.composer.count()).toBe(0);
  expect(await barriersOn(talk.page)).toEqual([]);
  await talk.button('Reopen').click();
  await talk.composer.waitFor();

  const second = blockingCommand('second');
  await talk.say(second.command);
  await second.started();
  await detail.reload();
  await confirm('Delete', 'The current run is stopped.');
  await detail.waitForURL(`${server.url}/`);
  await talk.page.getByText('Session not found, or you don’t have access.').waitFor();
  await talk.page.getByRole('link', { name: 'ended elsewhere' }).waitFor({ state: 'detached' });
  expect(talk.complaints.filter((each) => !/\b404\b/.test(each))).toEqual([]);
});

test('[C2] on a phone the name is readable, and the end stays in view whatever grows', async () => {
  const at = await conversationRig(chromium());
  const session = await at.server.session('fix-sign-in-on-safari');
  await at.server.finished(await at.server.send(session.id, 'seq 1 80'));
  const phone = await at.other(session, { viewport: { width: 360, height: 740 } });
  const { page, log, composer } = phone.talk;
  const name = page.getByRole('heading', { name: session.name, level: 1 });
  expect(await name.evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true);
  const atEnd = async (what: string): Promise<void> => {
    const left = () => log.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop);
    await until(async () => (await left()) < 2, { ms: 20_000 }).catch(() => {
      throw new Error(`the end is out of sight: ${what}`);
    });
    expect(await tooWideOn(page)).toEqual([]);
  };
  await atEnd('at first');
  const long = at.blockingCommand('long');
  await phone.talk.say(long.command);
  await long.started();
  await atEnd('a run has started');
  for (let each = 1; each <= 6; each++) await at.server.send(session.id, `echo ${each}`);
  await until(async () => (await phone.talk.queue.count()) === 6);
  await atEnd('a queue is there');
  await composer.fill(Array.from({ length: 40 }, (_, line) => `echo ${line}`).join('\n'));
  await atEnd('forty lines are written');
  // The Stop and Send buttons are in one line.
  const top = async (button: string) => (await phone.talk.button(button).boundingBox())?.y;
  expect(await top('Stop')).toBe(await top('Send'));
  const bottom = async (): Promise<number> => {
    const box = await composer.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  const fitsAboveKeyboard = async (what: string): Promise<void> => {
    await atEnd(what);
    await until(async () => (await bottom()) < 420);
    expect((await log.boundingBox())?.height).toBeGreaterThanOrEqual(80);
  };
  // The on-screen keyboard opens: it shrinks the window, or covers it as in Safari.
  await page.setViewportSize({ width: 360, height: 420 });
  await fitsAboveKeyboard('the keyboard takes its room');
  expect(await barriersOn(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  const cover = (height: number) =>
    page.evaluate(`(() => {
      Object.defineProperty(visualViewport, 'height', { value: ${height}, configurable: true });
      visualViewport.dispatchEvent(new Event('resize'));
    })()`);
  await cover(420);
  await fitsAboveKeyboard('the keyboard lies over the page');
  await cover(740);
  await until(async () => (await bottom()) > 420);
  long.release();
  await at.server.call('POST', `/api/v1/sessions/${session.id}/terminate`);
  await phone.context.close();
});
