import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Desk, ended } from '../cli/cli-rig.ts';
import { pathWithCurl } from '../cli/curl.ts';
import { startModelServer } from '../model-server/server.ts';
import { root } from '../support/processes.ts';
import { TOKEN } from '../support/server-rig.ts';
import { CLAUDE } from './claude-session-rig.ts';

vi.setConfig({ testTimeout: 240_000 });

test('[C1] [A2] the commands of docs/agents.md run as written', async ({ onTestFinished }) => {
  const model = await startModelServer();
  onTestFinished(() => model.stop());
  const desk = new Desk();
  const claude = { BATON_CLAUDE_PATH: CLAUDE, CLAUDE_CONFIG_DIR: desk.path('claude') };
  const names = [...Object.keys(model.environment), 'CLAUDE_CONFIG_DIR'];
  const agents = { ...model.environment, ...claude, BATON_AGENT_ENV: names.join(',') };
  const { url } = await desk.server({
    env: { BATON_ADMIN_TOKEN: TOKEN, HOME: desk.home, ...agents },
  });
  const blocksOf = (page: string): string[] =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(
      ([, text]) => text ?? '',
    );
  const inReadme = blocksOf('README.md')
    .filter((text) => text.includes('helper'))
    .map((text) => text.replaceAll('./bin/baton.mjs', 'baton').replaceAll('helper', 'reader'));
  const blocks = [...inReadme, ...blocksOf('docs/agents.md')];
  expect(blocks).toHaveLength(6);
  const env = {
    BATON_TOKEN: TOKEN,
    BATON_URL: url,
    ...agents,
    BATON_PORT: '0',
    PATH: pathWithCurl(),
  };
  for (const block of blocks) {
    const script = `set -e; mkdir -p "$HOME/work"; cd "$HOME/work"\n${block}`;
    const { code, stdout, stderr } = await ended(desk.shell(script, env));
    // No agent is at work when the page is run from top to bottom.
    const steers = block.includes('steer');
    expect([code, stderr.includes('cannot_steer')], `${block}${stdout}${stderr}`).toEqual(
      steers ? [2, true] : [0, false],
    );
  }
  const seen = JSON.stringify(model.requests.at(-1)?.messages);
  expect(seen).toContain('notes.txt: .baton/attachments/');
  expect(seen).toContain('in Japanese');
});
