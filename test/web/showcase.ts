import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../src/client/client.ts';
import type { StepInput } from '../model-server/script.ts';
import { startModelServer } from '../model-server/server.ts';
import { until } from '../support/until.ts';

/* A real server with examples of everything, for screenshots. Works outside tests. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const TOKEN = 'showcase-token-0123456789abcdef';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sign-in.ts': `export function readSession(cookie: string): string | null {
  const match = /session=([^;]+)/.exec(cookie);
  return match[1];
}
`,
  'src/cart.ts': 'export const total = (prices: number[]) => prices.reduce((a, b) => a + b, 0);\n',
};

const ASK = 'Sign-in fails on Safari when there is no cookie yet. Please find out why and fix it.';
const PUSH = 'Thank you. Please push it to a branch of its own.';

const scripts = (work: string): Readonly<Record<string, readonly StepInput[]>> => {
  const file = join(work, 'src/sign-in.ts');
  return {
    [PUSH]: [
      {
        text: 'I will push the change to `fix-sign-in`.',
        tools: [{ name: 'Bash', input: { command: 'git push origin HEAD:fix-sign-in' } }],
      },
      { text: 'Pushed.' },
    ],
    [ASK]: [
      {
        thinking: 'Without a cookie `exec` answers null. Let me look at the code first.',
        text: 'Let me look at how the session is read.',
        tools: [
          { name: 'Read', input: { file_path: file } },
          { name: 'Read', input: { file_path: join(work, 'src/cart.ts') } },
        ],
      },
      {
        text: 'Safari sends no cookie on the first visit. `match` is `null` then, and `match[1]` throws.',
        tools: [
          {
            name: 'Edit',
            input: {
              file_path: file,
              old_string: 'return match[1];',
              new_string: 'return match?.[1] ?? null;',
            },
          },
        ],
      },
      {
        text: [
          'The sign-in works without a cookie now.',
          '',
          '| case | before | now |',
          '|---|---|---|',
          '| a cookie | signed in | signed in |',
          '| none | `TypeError` | sign-in page |',
          '',
          '```ts',
          'return match?.[1] ?? null;',
          '```',
        ].join('\n'),
        usage: { input_tokens: 48_200, output_tokens: 2100, cache_read_input_tokens: 31_000 },
      },
    ],
  };
};

export interface Showcase {
  readonly url: string;
  /** Sign-in link, valid once. */
  readonly link: string;
  readonly sessions: Readonly<
    Record<'claude' | 'failed' | 'running' | 'completed' | 'error', string>
  >;
  stop(): Promise<void>;
}

export async function startShowcase(): Promise<Showcase> {
  const home = mkdtempSync(join(tmpdir(), 'baton-showcase-'));
  const folder = (name: string): string => {
    const path = join(home, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const work = folder('shop');
  folder('shop/src');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(work, name), text);
  const model = await startModelServer(scripts(work));
  const agentEnv = {
    ...model.environment,
    CLAUDE_CONFIG_DIR: folder('config'),
    CLAUDE_CODE_TMPDIR: folder('tmp'),
  };
  const server = spawn(
    process.execPath,
    [join(root, 'bin/baton.mjs'), 'up', '--port', '0', '--data-dir', folder('data')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        HOME: home,
        BATON_ADMIN_TOKEN: TOKEN,
        BATON_LOG_LEVEL: 'error',
        BATON_AGENT_ENV: Object.keys(agentEnv).join(','),
        ...agentEnv,
      },
    },
  );
  const gone = once(server, 'exit');
  const link = await new Promise<string>((resolve, reject) => {
    const ready = 'Baton is ready: ';
    createInterface(server.stdout).on('line', (line) => {
      if (line.startsWith(ready)) resolve(line.slice(ready.length));
    });
    void gone.then(() => reject(new Error('the server ended before it was ready')));
  });
  const url = new URL(link).origin;
  const sessions = await fill(url, work);
  return {
    url,
    link,
    sessions,
    async stop() {
      // A running run would delay the shutdown.
      const client = createClient({ url, token: TOKEN });
      for (const id of [sessions.running, sessions.claude])
        await client.terminate({ params: { id } });
      server.kill('SIGTERM');
      await gone;
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function fill(url: string, work: string): Promise<Showcase['sessions']> {
  const client = createClient({ url, token: TOKEN });
  const create = async (name: string, more: object = {}): Promise<string> =>
    (await client.createSession({ body: { name, agent: { kind: 'shell' }, ...more } })).id;
  const send = async (id: string, message: string): Promise<string> =>
    (await client.sendMessage({ params: { id }, body: { message } })).runId;
  const inState = (runId: string, ...states: string[]): Promise<void> =>
    until(
      async () => {
        const run = await client.getRun({ params: { id: runId } });
        if (run.state === 'failed' && !states.includes('failed'))
          throw new Error(`${run.message}: ${run.error?.message}`);
        return states.includes(run.state);
      },
      { ms: 120_000, every: 100 },
    );
  const ran = async (id: string, message: string): Promise<void> =>
    inState(await send(id, message), 'succeeded', 'failed');

  const completed = await create('release-notes', { tags: ['docs'] });
  await ran(completed, 'git --version && date -u +%F');
  await client.complete({ params: { id: completed } });

  const error = await create('moved-repository', {
    workspace: { provider: 'directory', path: join(work, 'not-there') },
  });

  const failed = await create('nightly-tests', {
    description: 'All tests of the shop, every night',
    tags: ['ci', 'web'],
    labels: ['important'],
    budgetUsd: 5,
  });
  for (const count of [12, 40, 7]) await ran(failed, `seq 1 ${count}`);
  const failing = await send(
    failed,
    'echo "1 of 214 tests failed: sign-in without a cookie"; exit 1',
  );
  await send(failed, 'echo "then the report"');
  await inState(failing, 'failed');

  const claude = await create('fix-sign-in', {
    agent: { kind: 'claude' },
    description: 'Sign-in fails on Safari',
    tags: ['web'],
    budgetUsd: 2,
    workspace: { provider: 'directory', path: work },
  });
  await inState(await send(claude, ASK), 'succeeded');
  await inState(await send(claude, PUSH), 'waiting');

  const running = await create('ドキュメント整理', { description: 'READMEの日本語版を整える' });
  await inState(
    await send(running, 'for i in $(seq 1 600); do echo "docs/page-$i.md"; sleep 1; done'),
    'running',
  );
  await send(running, 'echo 完了');

  await client.createUser({ body: { name: 'hanako', role: 'operator' } });
  await client.createUser({ body: { name: 'taro', role: 'viewer' } });
  await client.putShares({
    params: { id: claude },
    body: { shares: [{ user: 'hanako', level: 'operate' }] },
  });
  await client.putSessionRules({
    params: { id: claude },
    body: { allow: ['Bash(npm test)'], deny: ['Bash(git push --force)'] },
  });
  await client.putGlobalRules({
    body: {
      ask: ['WebFetch(domain:shop.example)'],
      deny: ['Bash(terraform destroy)', 'Read(~/.ssh/**)'],
      enforced: ['Bash(terraform destroy)'],
    },
  });
  await client.createToken({ body: { name: 'nightly build', scopes: ['read', 'run'] } });
  return { claude, failed, running, completed, error };
}
