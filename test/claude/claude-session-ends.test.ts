import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, start } from '../support/processes.ts';
import { type Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import {
  answer,
  approvals,
  asked,
  bash,
  type ClaudeServerRig,
  claudeServerRig,
  done,
  ended,
  making,
  PATIENCE,
  payloadsOf,
  say,
  untilEvent,
  whole,
} from './claude-session-rig.ts';

describe('[Q16] the interrupted call decides whether a run is repeated', () => {
  test('a push that may have happened is repeated only if a person says so', async () => {
    const claude = await claudeServerRig();
    const { begun, release } = pushable(claude);
    let server = await claude.server();
    const session = await claude.session(server);
    const steps = [{ tools: [bash('git push origin main')] }, { text: 'Pushed.', results: [{}] }];
    const run = await say(server, session, steps);
    await answer(server, await asked(server, session, run), { decision: 'allow' });
    await begun();
    await server.kill();
    server = await claude.server();
    expect(await ended(server, run)).toMatchObject({
      state: 'failed',
      error: { class: 'interrupted_unsafe', message: expect.stringContaining('Bash') },
    });
    expect(claude.starts()).toHaveLength(1);

    release();
    const again = await server.call<{ id: string }>('POST', `/api/v1/runs/${run}/retry`);
    const question = await asked(server, session, again.id);
    await answer(server, question, { decision: 'allow' });
    expect((await ended(server, again.id)).state).toBe('succeeded');
    await whole({ claude, server, session }, again.id, ['git push origin main', 'Pushed.']);
  });

  test('a call that only reads is repeated silently', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server);
    const pipe = join(claude.work, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const steps = [{ tools: [bash('cat pipe')] }, { text: 'Read.', results: [{ includes: 'it' }] }];
    const run = await say(server, session, steps);
    const reads = (): boolean => commands(claude).includes('cat pipe');
    await until(reads, PATIENCE);
    process.kill(claude.starts().at(-1)?.pid ?? 0, 'SIGKILL');
    await until(() => !reads(), PATIENCE);
    await until(reads, PATIENCE);
    writeFileSync(pipe, 'it\n');
    expect(await ended(server, run)).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await payloadsOf(server, session, 'run.retry_diff')).toEqual([]);
    expect(await approvals(server, session)).toEqual([]);
    await whole({ claude, server, session }, run, ['cat pipe', 'Read.']);
  });
});

describe('how runs of Claude Code end', () => {
  test('[Q15] a tool in allowedTools that Claude Code lacks is reported, and nothing is executed', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server, 'misspelt', { holdOnFailure: false });
    const known = { allowedTools: ['Bash(ls:*)', 'Monitor', 'mcp__later__look', 'Task*'] };
    const run = await say(server, session, [{ text: 'Sent.' }], known);
    expect(await ended(server, run)).toMatchObject({ state: 'succeeded' });

    const misspelt = { allowedTools: ['Read', 'Bahs(touch made)', 'Wirte'] };
    const steps = [{ tools: [making('made')] }, { text: 'never' }];
    const failed = await ended(server, await say(server, session, steps, misspelt));
    expect(failed).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { class: 'invalid_tool' },
    });
    expect(failed.error?.message).toContain(
      'tools that Claude Code does not have: "Bahs", "Wirte"',
    );
    expect(existsSync(join(claude.work, 'made'))).toBe(false);
  });

  test('[A3] a lost conversation is reported, and not started over', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server);
    await done(server, session, [{ text: 'First.' }]);
    await done(server, session, [{ text: 'Second.' }]);
    rmSync(join(claude.config, 'projects'), { recursive: true });
    const run = await ended(server, await say(server, session, [{ text: 'never' }]));
    expect(run).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { class: 'conversation_lost' },
    });
    expect(run.error?.message).toMatch(/No conversation found/i);
    expect(claude.starts().map(({ how }) => how)).toEqual(['--session-id', '--resume', '--resume']);
    expect(new Set(claude.starts().map(({ conversation }) => conversation)).size).toBe(1);
  });

  test('[Q9] [A9] cancelled in a text and in a tool: no process is left, and the conversation continues', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server, 'cancelled', { holdOnFailure: false });
    const cancel = async (run: string): Promise<void> => {
      await server.call('POST', `/api/v1/runs/${run}/cancel`);
      expect((await ended(server, run)).state).toBe('cancelled');
      expect(claude.left()).toEqual([]);
    };
    const inText = await say(server, session, [{ text: 'Half a text.', holdEnd: 'text' }]);
    await untilEvent(server, session, 'agent.delta', ({ text }) => text === 'Half a text.');
    await cancel(inText);
    const gate = claude.gate();
    await server.call('PUT', `/api/v1/sessions/${session.id}/policy`, { allow: ['Bash'] });
    const inTool = await say(server, session, [{ tools: [gate.call] }, { text: 'never' }]);
    await gate.begun(1);
    await cancel(inTool);
    await done(server, session, [{ text: 'Here.' }]);
    expect(claude.shown()).toContain('Half a text.');
  });

  test('[Q15] a run waits for the announced end of a usage limit', async () => {
    const claude = await claudeServerRig();
    const env = {
      ANTHROPIC_API_KEY: '',
      CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-test',
      BATON_AGENT_ENV: `${claude.environment['BATON_AGENT_ENV']},CLAUDE_CODE_OAUTH_TOKEN`,
    };
    const server = await claude.server({ env });
    const session = await claude.session(server);
    const reset = Math.floor(Date.now() / 1000) + 3600;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(reset),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    const run = await say(server, session, [{ status: 429, headers }]);
    await untilEvent(server, session, 'run.parked');
    const parked = await server.run(run);
    expect(parked).toMatchObject({ state: 'retry_scheduled', attempts: 0 });
    expect(Date.parse(parked.nextRunAt ?? '')).toBeGreaterThanOrEqual(reset * 1000);
    expect(await payloadsOf(server, session, 'agent.limit')).toEqual([
      { status: 'rejected', resetsAt: new Date(reset * 1000).toISOString(), kind: 'five_hour' },
    ]);
    await server.call('POST', `/api/v1/runs/${run}/cancel`);
    expect((await ended(server, run)).state).toBe('cancelled');
  });
});

describe('what Claude Code may do', () => {
  test('[P3] the rules apply to every call, and a message can only narrow them', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server);
    const rules = { allow: ['Bash(install *)'], deny: ['Bash(touch)'] };
    await server.call('PUT', '/api/v1/policies/channels/api', rules);
    const steps = [
      { tools: [bash('touch denied')] },
      {
        tools: [bash('install /dev/null allowed')],
        results: [{ error: true, includes: 'Bash(touch)' }],
      },
      { text: 'Over.', results: [{}] },
    ];
    await done(server, session, steps);
    const narrow = [
      { tools: [making('narrowed')] },
      { text: 'Over.', results: [{ error: true, includes: 'disallowedTools' }] },
    ];
    const disallowedTools = ['Bash(install)'];
    const run = await ended(server, await say(server, session, narrow, { disallowedTools }));
    expect(run.state).toBe('succeeded');
    expect(await payloadsOf(server, session, 'policy.denied')).toMatchObject([
      { tool: 'Bash', input: { command: 'touch denied' }, rule: 'Bash(touch)', scope: 'channel' },
      { tool: 'Bash', rule: 'Bash(install)', scope: 'message' },
    ]);
    const made = ['denied', 'allowed', 'narrowed'].map((name) =>
      existsSync(join(claude.work, name)),
    );
    expect(made).toEqual([false, true, false]);
  });

  test('[A12] nothing that a repository brings is executed', async () => {
    const claude = await claudeServerRig();
    const server = await claude.server();
    const session = await claude.session(server);
    const run = (name: string): string => `touch ${join(claude.home, name)}`;
    const hook = (name: string) => [
      { matcher: '', hooks: [{ type: 'command', command: run(name) }] },
    ];
    const settings = {
      hooks: { SessionStart: hook('at-start'), PreToolUse: hook('at-tool'), Stop: hook('at-stop') },
      permissions: { allow: ['Bash', 'Write'], defaultMode: 'bypassPermissions' },
      enableAllProjectMcpServers: true,
    };
    const mcpServers = { theirs: { command: 'sh', args: ['-c', run('server')] } };
    mkdirSync(join(claude.work, '.claude'));
    writeFileSync(join(claude.work, '.claude', 'settings.json'), JSON.stringify(settings));
    writeFileSync(join(claude.work, '.claude', 'settings.local.json'), JSON.stringify(settings));
    writeFileSync(join(claude.work, '.mcp.json'), JSON.stringify({ mcpServers }));
    const id = await say(server, session, [{ tools: [making('made')] }, { text: 'Over.' }]);
    // Its settings allow the call, but it still needs approval.
    await answer(server, await asked(server, session, id), { decision: 'deny', message: 'no' });
    expect((await ended(server, id)).state).toBe('succeeded');
    const theirs = ['at-start', 'at-tool', 'at-stop', 'server'];
    expect(readdirSync(claude.home).filter((name) => theirs.includes(name))).toEqual([]);
  });
});

test('[A2] `baton run --agent claude` prints the answer, or how to get one', async () => {
  const claude = await claudeServerRig();
  const hello = async (env: NodeJS.ProcessEnv) => {
    const server = await claude.server({ env });
    const program = baton(server, claude, ['run', '--agent', 'claude', 'hello']);
    const { code } = await program.exit;
    await server.stop();
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  expect(await hello({})).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  const missing = await hello({ BATON_CLAUDE_PATH: join(claude.home, 'nowhere') });
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toMatch(/not found.*npm install.*BATON_CLAUDE_PATH/s);
  const plain = join(claude.home, 'plain');
  writeFileSync(plain, '');
  chmodSync(plain, 0o644);
  const refused = await hello({ BATON_CLAUDE_PATH: plain });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/is not executable.*BATON_CLAUDE_PATH/s);
  const signedOut = await hello({ ANTHROPIC_API_KEY: '' });
  expect(signedOut.code).toBe(1);
  expect(signedOut.stderr).toMatch(/Not logged in.*sign in.*ANTHROPIC_API_KEY/s);
});

const baton = ({ url }: Server, { home }: ClaudeServerRig, args: string[]) =>
  start(process.execPath, [join(root, 'bin', 'baton.mjs'), ...args], {
    env: { HOME: home, BATON_URL: url, BATON_TOKEN: TOKEN },
  });

/** Command lines of the processes that agents have started. */
const commands = ({ left }: ClaudeServerRig): string[] =>
  left().map((pid) => {
    try {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    } catch {
      return '';
    }
  });

/** A repository with something to push, to a remote that accepts it only after `release`. */
function pushable({ home, work }: ClaudeServerRig) {
  const remote = join(home, 'remote.git');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, ...args], {
      stdio: 'pipe',
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '--quiet', '--initial-branch', 'main');
  git('init', '--quiet', '--bare', remote);
  const hook = `#!/bin/sh\ntouch ${home}/begun\nuntil [ -e ${home}/go ]; do sleep 0.05; done\n`;
  writeFileSync(join(remote, 'hooks', 'pre-receive'), hook, { mode: 0o755 });
  git(
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@localhost',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'first',
  );
  git('remote', 'add', 'origin', remote);
  return {
    begun: () => until(() => existsSync(join(home, 'begun')), PATIENCE),
    release: () => writeFileSync(join(home, 'go'), ''),
  };
}
