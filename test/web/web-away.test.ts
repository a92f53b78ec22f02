import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../support/processes.ts';
import { TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { barriersOn } from './page-checks.ts';
import { conversationRig, runsOf } from './web-conversation-rig.ts';

vi.setConfig({ testTimeout: 240_000 });
const chromium = browser();

/*
 * Servers, networks, sign-ins and users that go away: nothing is missed, lost, doubled or sent by
 * another user.
 */

test('[C2] [E3] after a kill -9 in mid-answer and a restart, the page continues without a reload', async () => {
  const at = await conversationRig(chromium());
  const session = await at.server.session('survivor');
  const talk = await at.open(session);
  await talk.page.evaluate('window.loadedOnce = true');
  const releaseFile = join(temporaryDirectory(), 'release');
  await talk.say(
    `i=0; while [ ! -e ${releaseFile} ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done; echo over`,
  );
  await talk.log.locator('pre', { hasText: 'line 20\n' }).waitFor();
  await at.kill();
  await talk.page.getByText('Connection lost. Reconnecting…').waitFor();
  // Written while the server is down: it is sent once the server is back.
  await talk.say('echo while away');
  await at.start();
  await talk.log.getByText(/^The server stopped during this run/).waitFor();
  await talk.log.locator('pre', { hasText: 'line 20\n' }).nth(1).waitFor();
  writeFileSync(releaseFile, '');
  await talk.log.locator('pre', { hasText: /^while away\n$/ }).waitFor();
  await talk.page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' });
  expect(await talk.page.evaluate('window.loadedOnce')).toBe(true);

  // Nothing is missing or doubled: a new visitor sees the same.
  const shown = async (page: typeof talk.page) => {
    const rows = page.getByRole('log').locator('[data-seq]');
    return (await rows.allInnerTexts()).map((text) =>
      text.replace(/\n?\d* ?(just now|.* ago)/, ''),
    );
  };
  const fresh = await at.open(session);
  await fresh.log.locator('pre', { hasText: /^while away\n$/ }).waitFor();
  await fresh.sees('Succeeded');
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  await fresh.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  expect(await shown(talk.page)).toEqual(await shown(fresh.page));
  const runs = await runsOf(at.server, session);
  expect(
    runs.map(({ message }) => message).filter((each) => each === 'echo while away'),
  ).toHaveLength(1);
  expect(talk.complaints.filter((each) => !/net::ERR_|\b503\b/.test(each))).toEqual([]);
});

test('[C2] two browsers on one session see the same; one that was offline catches up', async () => {
  const { server, open, other, context } = await conversationRig(chromium());
  const session = await server.session('together');
  const mine = await open(session);
  const theirs = await other(session);
  await mine.say('echo from me');
  await theirs.talk.log.locator('pre', { hasText: /^from me\n$/ }).waitFor();
  await theirs.talk.say('echo from them');
  await mine.log.locator('pre', { hasText: /^from them\n$/ }).waitFor();
  // To a page that has not seen the end, the next message looks queued.
  await mine.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();

  await context.setOffline(true);
  await mine.page.getByText('You’re offline.', { exact: false }).waitFor();
  await theirs.talk.say('echo meanwhile');
  await theirs.talk.log.locator('pre', { hasText: /^meanwhile\n$/ }).waitFor();
  await mine.say('echo later');
  await mine.log.getByText('Not sent yet.', { exact: false }).waitFor();
  await context.setOffline(false);
  await mine.log.locator('pre', { hasText: /^meanwhile\n$/ }).waitFor();
  for (const { log } of [mine, theirs.talk]) {
    await log.locator('pre', { hasText: /^later\n$/ }).waitFor();
    expect(await log.locator('pre', { hasText: /^later\n$/ }).count()).toBe(1);
  }
  expect(await runsOf(server, session)).toHaveLength(4);

  // The browser is offline, but the server is on this machine.
  const live = mine.page.getByText('Live', { exact: true });
  const network = (isThere: boolean) =>
    mine.page.evaluate(
      `Object.defineProperty(navigator, 'onLine', { value: ${isThere}, configurable: true });
       dispatchEvent(new Event('${isThere ? 'online' : 'offline'}'))`,
    );
  await live.waitFor();
  await network(false);
  await mine.say('echo without a network');
  await mine.log.locator('pre', { hasText: /^without a network\n$/ }).waitFor();
  await live.waitFor();
  await network(true);
  await mine.say('echo with one');
  await mine.log.locator('pre', { hasText: /^with one\n$/ }).waitFor();
  await live.waitFor();
  expect(mine.complaints.filter((each) => !each.includes('net::ERR_'))).toEqual([]);
  expect(theirs.talk.complaints).toEqual([]);
});

test('[C2] [X1] a draft survives a reload, files go with a message, and an expired sign-in loses nothing', async () => {
  const { server, open, context } = await conversationRig(chromium());
  const session = await server.session('drafts');
  const talk = await open(session);
  await talk.composer.fill('cat .baton/attachments/*/note.txt || find . -name note.txt');
  await talk.page.reload();
  await talk.composer.waitFor();
  expect(await talk.composer.inputValue()).toContain('note.txt');
  await talk.composer.fill('cat "$(find . -name "*note.txt" | head -n 1)"');
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('what it says\n') };
  const picture = { name: 'dot.png', mimeType: 'image/png', buffer: DOT };
  await talk.page.locator('input[type=file]').setInputFiles([note, picture]);
  await talk.page.getByRole('list', { name: 'Files to send' }).getByText('dot.png').waitFor();
  await talk.button('Remove dot.png').click();
  await talk.composer.press('Enter');
  await talk.log.locator('pre', { hasText: /^what it says\n$/ }).waitFor();
  // Also after a reload.
  await talk.page.reload();
  await talk.sees('note.txt (text/plain, 13 B)');
  expect(talk.complaints).toEqual([]);

  await context.clearCookies();
  const dialog = talk.page.getByRole('dialog', { name: 'You were signed out.' });
  // Its own requests may open the dialog first, which then blocks all input.
  const close = () => dialog.getByRole('button', { name: 'Close' }).click();
  const press = (name: string) =>
    talk
      .button(name)
      .click({ timeout: 2000 })
      .catch(() => {});
  const write = (text: string) =>
    until(async () => {
      if (await dialog.isVisible()) await close();
      await talk.composer.fill(text);
      return (await talk.composer.inputValue()) === text;
    });
  await write('echo sent before');
  await until(
    async () => {
      await press('Send');
      await close();
      return (await talk.composer.inputValue()) === '';
    },
    { ms: 60_000 },
  );
  await talk.log
    .getByText('Your message will be sent when you sign in again.', { exact: false })
    .waitFor();
  await write('echo still a draft');
  await press('Send again');
  await dialog.getByRole('link', { name: 'Sign in' }).click();
  await talk.page.getByLabel('Token').fill(TOKEN);
  await talk.page.keyboard.press('Enter');
  await talk.page.waitForURL(`${server.url}/s/${session.id}`);
  await talk.log.locator('pre', { hasText: /^sent before\n$/ }).waitFor();
  expect(await talk.composer.inputValue()).toBe('echo still a draft');
  await talk.composer.press('Enter');
  await talk.log.locator('pre', { hasText: /^still a draft\n$/ }).waitFor();
  const sent = (await runsOf(server, session)).map(({ message }) => message).slice(1);
  expect(sent).toEqual(['echo sent before', 'echo still a draft']);
});

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('[Q10] [C2] [X2] an unsent message is sent once and completely, whichever page is opened next, and only by its author', async () => {
  const at = await conversationRig(chromium());
  const session = await at.server.session('on the way');
  // As on plain HTTP in a home network.
  await at.context.addInitScript('Crypto.prototype.randomUUID = undefined');
  const talk = await at.open(session);
  const messages = async () => (await runsOf(at.server, session)).map(({ message }) => message);
  const path = '**/messages';
  await at.context.route(path, (route) => route.abort());
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('what it says\n') };
  await talk.page.locator('input[type=file]').setInputFiles([note]);
  await talk.page.getByRole('list', { name: 'Files to send' }).getByText('note.txt').waitFor();
  await talk.say('cat "$(find . -name "*note.txt" | head -n 1)"');
  const waits = () => talk.log.getByText('note.txt · Not sent yet.', { exact: false }).waitFor();
  await waits();
  await talk.page.reload();
  await waits();
  // Another tab with its own message.
  const second = await at.open(session);
  await second.say('echo second');
  await second.log.getByText('echo second').waitFor();
  // Requests in flight when a page closes go through; what a closed page leaves behind does not.
  await second.page.goto('about:blank');
  await second.page.close();
  await talk.composer.fill('echo a draft');
  expect(await messages()).toEqual([]);
  await talk.page.goto(`${at.server.url}/dashboard`);
  await at.context.unroute(path);
  await talk.page.reload();
  await until(async () => (await messages()).length === 2, { ms: 30_000 });
  expect((await messages()).at(-1)).toBe('echo second');
  await talk.page.goto(`${at.server.url}/s/${session.id}`);
  await talk.log.locator('pre', { hasText: /^what it says\n$/ }).waitFor();
  await talk.log.locator('pre', { hasText: /^second\n$/ }).waitFor();
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();

  // Another user signs in in this browser while a message waits.
  await at.context.route(path, (route) => route.abort());
  await talk.say('echo mine');
  await talk.log.getByText('Not sent yet.', { exact: false }).waitFor();
  await talk.composer.fill('echo a draft');
  const { id } = await at.server.call<{ id: string }>('POST', '/api/v1/users', { name: 'other' });
  const shares = [{ user: 'other', level: 'operate' }];
  await at.server.call('PUT', `/api/v1/sessions/${session.id}/shares`, { shares });
  const link = await at.server.call<{ url: string }>('POST', `/api/v1/users/${id}/sign-in-link`);
  const theirs = await at.context.newPage();
  await theirs.goto(link.url);
  await theirs.waitForURL(`${at.server.url}/`);
  // The previous page now belongs to the new user and shows nothing of the old one.
  await talk.page.getByText('Not sent yet.', { exact: false }).waitFor({ state: 'detached' });
  await until(async () => (await talk.composer.inputValue()) === '');
  await at.context.unroute(path);
  await talk.say('echo theirs');
  await talk.log.locator('pre', { hasText: /^theirs\n$/ }).waitFor();
  expect((await messages()).slice(2)).toEqual(['echo theirs']);

  // It is sent when its author signs in again.
  const again = await at.server.call<{ url: string }>('POST', '/api/v1/users/admin/sign-in-link');
  await theirs.goto(again.url);
  await theirs.waitForURL(`${at.server.url}/`);
  await until(async () => (await messages()).length === 4, { ms: 30_000 });
  await talk.log.locator('pre', { hasText: /^mine\n$/ }).waitFor();
  await until(async () => (await talk.composer.inputValue()) === 'echo a draft');
  const senders = (await runsOf(at.server, session)).map(({ message, sender }) => [
    message,
    sender,
  ]);
  expect(senders.slice(2)).toEqual([
    ['echo theirs', id],
    ['echo mine', senders[0]![1]],
  ]);
  expect(talk.complaints.filter((each) => !/net::ERR_|\b401\b/.test(each))).toEqual([]);
});

test('[Q12] [C2] a late edit and a message to a closed session are returned to their author', async () => {
  const { server, open, blockingCommand, context } = await conversationRig(chromium());
  const session = await server.session('too late');
  const talk = await open(session);
  const first = blockingCommand('first');
  await talk.say(first.command);
  await first.started();
  await talk.say('echo old words');
  const row = talk.queue.filter({ hasText: 'echo old words' });
  await row.getByRole('button', { name: 'Edit' }).click();
  const field = talk.page.getByRole('textbox', { name: 'Edit queued message' });
  await field.fill('echo new words');
  // Another user edits it, and then it starts.
  const queued = (await runsOf(server, session)).find(({ state }) => state === 'queued')!;
  await server.call('PATCH', `/api/v1/runs/${queued.id}`, { message: 'echo their words' });
  await talk.page.getByText('echo their words', { exact: true }).waitFor();
  first.release();
  await talk.page.getByText('Your edit was not applied.', { exact: false }).waitFor();
  await talk.log.locator('pre', { hasText: /^their words\n$/ }).waitFor();
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  expect(await field.inputValue()).toBe('echo new words');
  expect(await barriersOn(talk.page)).toEqual([]);
  await talk.button('Use as a new message').click();
  expect(await talk.composer.inputValue()).toBe('echo new words');
  await field.waitFor({ state: 'detached' });

  // In flight while someone closes the session.
  const path = '**/messages';
  await context.route(path, (route) => route.abort());
  await talk.composer.press('Enter');
  await talk.log.getByText('Not sent yet.', { exact: false }).waitFor();
  await server.call('POST', `/api/v1/sessions/${session.id}/complete`);
  await talk.page.getByText('This session is closed.').waitFor();
  await context.unroute(path);
  const refused = talk.log.getByText('This message was not sent. This session is closed.', {
    exact: false,
  });
  await refused.waitFor();
  expect(await talk.button('Edit').count()).toBe(0);
  await server.call('POST', `/api/v1/sessions/${session.id}/reopen`);
  await talk.page.reload();
  await refused.waitFor();
  await talk.button('Edit').click();
  expect(await talk.composer.inputValue()).toBe('echo new words');
  expect(await runsOf(server, session)).toHaveLength(2);
  await talk.composer.press('Enter');
  await talk.log.locator('pre', { hasText: /^new words\n$/ }).waitFor();
  expect(await runsOf(server, session)).toHaveLength(3);
  expect(talk.complaints.filter((each) => !/net::ERR_|\b409\b/.test(each))).toEqual([]);
});
