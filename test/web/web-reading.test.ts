import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { type ConversationPage, conversationRig, runsOf } from './web-conversation-rig.ts';

vi.setConfig({ testTimeout: 120_000 });
const chromium = browser();

/** Distance of the end of the conversation below the visible part. */
const gapOf = ({ log }: ConversationPage): Promise<number> =>
  log.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop);

test('[C2] the end stays in view while messages are sent and queued, until the user scrolls up', async () => {
  const { server, open, blockingCommand } = await conversationRig(chromium());
  const session = await server.session('follower');
  await server.finished(await server.send(session.id, 'seq 1 100'));
  const talk = await open(session);
  await talk.sees('Succeeded');
  await until(async () => (await gapOf(talk)) < 2, { ms: 10_000 });
  const jump = talk.page.getByRole('button', { name: /Jump to latest|New messages/ });
  // Records the button even if it appears for one frame.
  await talk.page.evaluate(`
    globalThis.wasOffered = false;
    new MutationObserver(() => {
      globalThis.wasOffered ||= [...document.querySelectorAll('button')].some(
        ({ textContent }) => /Jump to latest|New messages/.test(textContent));
    }).observe(document.body, { subtree: true, childList: true });`);
  const first = blockingCommand('first');
  expect(first.command).toContain('sleep 0.05');
  await talk.say(first.command.replace('sleep 0.05', 'echo line; sleep 0.02'));
  await first.started();
  for (const each of ['one', 'two', 'three']) await talk.say(`echo ${each}; seq 1 30`);
  await until(async () => (await talk.queue.count()) === 3, { ms: 10_000 });
  await until(async () => (await gapOf(talk)) < 60, { ms: 10_000 });
  first.release();
  const areDone = async () =>
    (await runsOf(server, session)).every(({ state }) => state === 'succeeded');
  await until(areDone, { ms: 30_000 });
  await talk.button('Send').waitFor();
  await until(async () => (await gapOf(talk)) < 2, { ms: 10_000 });
  expect(await talk.page.evaluate('globalThis.wasOffered')).toBe(false);

  // Sending a message scrolls to it from anywhere.
  await talk.log.hover();
  await talk.page.mouse.wheel(0, -900);
  await jump.waitFor();
  await talk.say('echo shown to me');
  await jump.waitFor({ state: 'detached' });
  await talk.log.locator('pre', { hasText: /^shown to me\n$/ }).waitFor();
  await until(async () => (await gapOf(talk)) < 2, { ms: 10_000 });

  // A mouse button released outside the log is not held any more, so only the browser has scrolled.
  const box = (await talk.log.boundingBox())!;
  const { mouse } = talk.page;
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(box.x + box.width / 2, box.y - 20);
  await mouse.up();
  const now = () => talk.page.evaluate<number>('performance.now()');
  const released = await now();
  await until(async () => (await now()) > released + 1000);
  await talk.log.evaluate((e) => e.scrollBy({ top: -200, behavior: 'instant' }));
  await until(async () => (await gapOf(talk)) > 100);
  await server.finished(await server.send(session.id, 'echo still followed; seq 1 30'));
  await talk.log.locator('pre', { hasText: 'still followed' }).last().waitFor();
  await until(async () => (await gapOf(talk)) < 2, { ms: 10_000 });
  expect(talk.complaints).toEqual([]);
});

test('[C2] [E6] a long output shows its end, and can be downloaded completely', async () => {
  const { server, open } = await conversationRig(chromium());
  const session = await server.session('long-output');
  await server.finished(await server.send(session.id, 'seq 1 50000'));
  const talk = await open(session);
  await talk.sees('Succeeded');
  await talk.sees('Showing only the end.');
  await talk.button('Show the last 131,072 characters').waitFor();
  const coming = talk.page.waitForEvent('download');
  await talk.button('Download full output').click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('long-output.txt');
  const all = Array.from({ length: 50_000 }, (_, at) => `${at + 1}\n`).join('');
  expect(readFileSync(await file.path(), 'utf8')).toBe(all);
  expect(talk.complaints).toEqual([]);
});

test('[C2] on a touch keyboard Enter makes a new line, and the button sends', async () => {
  const { server, other } = await conversationRig(chromium());
  const session = await server.session('by thumb');
  const touch = { hasTouch: true, isMobile: true, viewport: { width: 1024, height: 768 } };
  const { talk } = await other(session, touch);
  const write = async (field: ConversationPage['composer']): Promise<void> => {
    expect(await field.getAttribute('enterkeyhint')).toBe('enter');
    await field.fill('echo one');
    await field.press('Enter');
    await field.pressSequentially('echo two');
    expect(await field.inputValue()).toBe('echo one\necho two');
  };
  await write(talk.composer);
  expect(await runsOf(server, session)).toEqual([]);
  await talk.button('Send').tap();
  await talk.log.locator('pre', { hasText: /^one\ntwo\n$/ }).waitFor();

  await talk.page.goto(`${server.url}/new`);
  await talk.page.getByRole('radio', { name: /^Shell/ }).check();
  // The hint about Enter does not apply here.
  expect(await talk.page.getByText('Shift+Enter').isVisible()).toBe(false);
  await write(talk.page.getByLabel('First command'));
  expect(new URL(talk.page.url()).pathname).toBe('/new');
  expect(talk.complaints).toEqual([]);
});
