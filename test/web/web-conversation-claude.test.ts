import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { claudeServerRig, making, PATIENCE } from '../claude/claude-session-rig.ts';
import { type StepInput, scripted } from '../model-server/script.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';
import { barriersOn, complaintsOf } from './page-checks.ts';
import { conversationRig } from './web-conversation-rig.ts';

// Restarting servers, a browser and Claude Code need time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const chromium = browser();

/** A session with the real Claude Code, a scripted model and a visitor at its page. */
async function scene() {
  const claude = await claudeServerRig();
  const at = await conversationRig(chromium(), { env: claude.environment });
  const session = await claude.session(at.server, 'with claude');
  const talk = await at.open(session);
  talk.page.setDefaultTimeout(PATIENCE.ms);
  const say = (steps: readonly StepInput[], text?: string) => talk.say(scripted(steps, text));
  const gone = () => until(() => claude.left().length === 0, PATIENCE);
  return { claude, at, session, talk, say, gone };
}

const TEXT = `## What was done

It is **safe** now, see \`a.ts\` and [the notes](https://example.org/notes).

<img src="x" onerror="document.title='broken'"> [not this](javascript:alert(1))

\`\`\`ts
export const answer: number = 42;
\`\`\`
`;

test('[C2] [A2] from the start-up link to a finished first run of Claude Code', async () => {
  const claude = await claudeServerRig();
  const site = await siteOf(chromium(), { env: claude.environment });
  const { page } = await site.visitor();
  page.setDefaultTimeout(PATIENCE.ms);
  const complaints = complaintsOf(page);
  await page.goto(site.link);
  // It is ready, so it is preselected, and the message field has the focus.
  await page.getByText(/^Ready, version /).waitFor();
  expect(await page.getByRole('radio', { name: /^Claude Code/ }).isChecked()).toBe(true);
  await page.getByLabel('First message').click();
  await page.keyboard.insertText(scripted([{ text: '## It works' }], 'Say hello'));
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByRole('heading', { name: 'It works' }).waitFor();
  await page.getByText('Succeeded', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('[C2] [A7] [Q11] tool cards, folded reads, a question answered in the conversation, text, and a follow-up to the working agent', async () => {
  const { claude, talk, say, gone } = await scene();
  const files = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(claude.work, name));
  for (const file of files) writeFileSync(file, 'one\ntwo\n');
  const edit = { file_path: files[0]!, old_string: 'two', new_string: 'zwei' };
  await say([
    {
      thinking: 'Look first.',
      tools: files.map((file_path) => ({ name: 'Read', input: { file_path } })),
    },
    { tools: [{ name: 'Edit', input: edit }] },
    { tools: [making('made')] },
    { text: TEXT },
  ]);
  await talk.log.getByRole('button', { name: 'Read 3 files' }).waitFor();
  await talk.log.getByRole('button', { name: /^Thought/ }).waitFor();
  // The question is answered in the conversation.
  await talk.log.getByRole('button', { name: /^Allow once/ }).click();
  await talk.log.getByRole('heading', { name: 'What was done' }).waitFor();
  await talk.sees('Succeeded');
  const address = await talk.log.getByRole('link', { name: 'the notes' }).getAttribute('href');
  expect(address).toBe('https://example.org/notes');
  // HTML and unsafe links are shown as text.
  expect(await talk.log.getByText('<img src="x"', { exact: false }).count()).toBe(1);
  expect(await talk.log.locator('img').count()).toBe(0);
  expect(await talk.log.getByRole('link', { name: 'not this' }).count()).toBe(0);
  await talk.log.locator('pre span', { hasText: 'export' }).first().waitFor();

  const card = talk.log.getByRole('button', { name: /^Edit a\.ts/ });
  await card.click();
  await talk.log.getByText('zwei', { exact: true }).waitFor();
  expect(await barriersOn(talk.page)).toEqual([]);

  await say([{ text: 'one', hold: 'text' }, { text: 'two' }]);
  await claude.model.arrived('text');
  await talk.page.getByText('Send now', { exact: true }).click();
  await talk.say('and this, too');
  await talk.sees('and this, too');
  await talk.log.getByText('Sent while the agent was working', { exact: false }).waitFor();
  expect(await talk.queue.count()).toBe(0);
  await until(
    () =>
      talk.log
        .getByText('and this, too')
        .count()
        .then((n) => n === 1),
    PATIENCE,
  );
  claude.model.release('text');
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  expect(talk.complaints).toEqual([]);
  await gone();
});

test('[C2] [E3] after a kill -9 in the middle of a text the page continues, with nothing missing or doubled', async () => {
  const { claude, at, session, talk, say, gone } = await scene();
  await say([{ text: 'The word is banana.' }]);
  await talk.sees('Succeeded');
  await say([{ text: 'Half a text.', holdEnd: 'text' }], 'Go on.');
  await claude.model.arrived('text');
  await talk.sees('Half a text.');
  await at.kill();
  await talk.page.getByText('Connection lost. Reconnecting…').waitFor();
  claude.model.release('text');
  await at.start();
  await talk.log.getByText(/^The server stopped during this run/).waitFor();
  await talk.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  const fresh = await at.open(session);
  fresh.page.setDefaultTimeout(PATIENCE.ms);
  await fresh.log.getByText('Succeeded', { exact: true }).nth(1).waitFor();
  const texts = async (page: typeof talk.page) =>
    (await page.getByRole('log').locator('[data-seq] p').allInnerTexts()).join('\n');
  expect(await texts(talk.page)).toBe(await texts(fresh.page));
  expect(talk.complaints.filter((each) => !/net::ERR_|\b503\b/.test(each))).toEqual([]);
  await gone();
});
