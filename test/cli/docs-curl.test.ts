import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start, temporaryDirectory } from '../support/processes.ts';
import { Server, TOKEN } from '../support/server-rig.ts';
import { pathWithCurl } from './curl.ts';

/** Commands on a page, in order; `answer` is the output that the page shows after them. */
interface Block {
  readonly text: string;
  readonly answer: string | null;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const matches = [...text.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)];
  return matches.map(([, commands = '', answer = null]) => ({ text: commands, answer }));
}

/** Runs the blocks unchanged in one shell, as a reader would; returns what each of them printed. */
async function play(server: Server, blocks: readonly Block[]): Promise<string[]> {
  const marker = (i: number): string => `=== block ${i} has ended ===`;
  const script = blocks.map(({ text }, i) => `${text}\necho; echo '${marker(i)}'\n`).join('');
  const file = join(temporaryDirectory(), 'blocks.sh');
  writeFileSync(file, script);
  const program = start('sh', ['-eu', file], {
    env: {
      BATON_URL: server.url,
      BATON_TOKEN: TOKEN,
      HOME: temporaryDirectory(),
      PATH: pathWithCurl(),
    },
  });
  const { code } = await program.exit;
  const text = program.stdout();
  const last = blocks.findIndex((_, i) => !text.includes(`${marker(i)}\n`));
  expect([code, program.stderr(), blocks[last]?.text ?? null]).toEqual([0, '', null]);
  let from = 0;
  return blocks.map((_, i) => {
    const to = text.indexOf(marker(i));
    const printed = text.slice(from, to);
    from = to + marker(i).length + 1;
    return printed;
  });
}

/** Expects each shown line in the output, in order; `…` matches anything, and any number a number. */
function expectShown(printed: string, answer: string): void {
  const lines = printed.split('\n');
  let at = 0;
  for (const line of answer.split('\n').filter((one) => one !== '')) {
    const pattern = line
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\s*…\s*/g, '.*')
      .replaceAll(/\d+/g, '\\d+');
    const index = lines.findIndex((one, i) => i >= at && new RegExp(`^${pattern}$`).test(one));
    expect([index, line], `not printed after line ${at}:\n${printed}`).not.toEqual([-1, line]);
    at = index + 1;
  }
}

const MS = 180_000;

test(
  '[H1] [H2] [E2] the examples of docs/api.md run from top to bottom',
  async () => {
    const server = await Server.start();
    const blocks = blocksOf('docs/api.md');
    const printed = await play(server, blocks);
    for (const [i, { answer }] of blocks.entries()) {
      if (answer !== null) expectShown(printed[i] ?? '', answer);
    }
    const of = (part: string): string =>
      printed[blocks.findIndex(({ text }) => text.includes(part))] ?? '';
    expect(of('/runs/$RUN/events')).toMatch(/^event: done$/m);
    expect(of('/runs/$RUN/events')).toContain('"state":"succeeded"');
    // The same key gives the same run.
    const ids = [...of('Idempotency-Key').matchAll(/"runId":"([^"]+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(of('"before\\"')).toContain('"text":"now first\\n"');
    expect(of('/cancel')).toContain('"state":"cancelled"');
    expect(await server.call('GET', '/api/v1/sessions')).toEqual([]);
    expect(await server.stop()).toBe(0);
  },
  MS,
);

test(
  '[E2] the examples of docs/streams.md run, and print what the page shows',
  async () => {
    const server = await Server.start();
    const blocks = blocksOf('docs/streams.md');
    const printed = await play(server, blocks);
    expect(blocks.filter(({ answer }) => answer !== null).length).toBeGreaterThan(0);
    for (const [i, { answer }] of blocks.entries()) {
      if (answer !== null) expectShown(printed[i] ?? '', answer);
    }
    expect(await server.stop()).toBe(0);
  },
  MS,
);

test(
  '[H8] the examples of docs/compat.md run',
  async () => {
    const server = await Server.start();
    const blocks = blocksOf('docs/compat.md');
    const printed = (await play(server, blocks)).join('');
    expect(printed).toContain('"job_id":');
    expect(printed).toContain('"workspaceCount":1');
    // One of the run, one of the chat.
    expect(printed.match(/^event: done$/gm)).toHaveLength(2);
    expect(await server.call('GET', '/api/v1/sessions')).toEqual([]);
    expect(await server.stop()).toBe(0);
  },
  MS,
);

test(
  '[C1] the commands of the README run, and print what it says',
  async () => {
    const server = await Server.start();
    // Not those that fetch or start another Baton, nor the one that needs the port and home directory
    // of a reader. Those of Claude Code are run by docs-agents.test.ts.
    const blocks = blocksOf('README.md').filter(
      ({ text }) => text.startsWith('./bin/baton.mjs') && !text.includes('helper'),
    );
    const [hi, longer] = await play(server, blocks);
    expect(blocks).toHaveLength(2);
    expect(hi).toContain('hi\n');
    // As it was counted, and once more by `logs`.
    expect(longer?.match(/1\n2\n3\n4\n5\n/g)).toHaveLength(2);
    expect(await server.stop()).toBe(0);
  },
  MS,
);

test('the curl of these tests refuses unknown options', async () => {
  const program = start('curl', ['--compressed', 'http://127.0.0.1:9'], {
    env: { PATH: pathWithCurl() },
  });
  expect((await program.exit).code).toBe(1);
  expect(program.stderr()).toContain('curl: --compressed is not supported here');
});
