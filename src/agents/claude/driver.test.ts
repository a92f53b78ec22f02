import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failure, Talk } from '../../../test/claude/claude-rig.ts';
import { agentRig, unmasked } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { packagedProgram } from '../../node/packaged-programs.ts';
import type { Turn } from '../driver.ts';
import { OLDEST_VERSION } from './version.ts';

const line = (value: object) => `echo '${JSON.stringify(value)}'`;
const INIT = line({
  type: 'system',
  subtype: 'init',
  session_id: 'c0ffee00-0000-4000-8000-000000000000',
  claude_code_version: OLDEST_VERSION,
});
const said = (text: string) =>
  line({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
const RESULT = line({ type: 'result', subtype: 'success', is_error: false, result: 'fine' });

/** A program that behaves in its own way, in the place of Claude Code. */
function program(...commands: string[]): string {
  const path = join(temporaryDirectory(), 'claude');
  writeFileSync(path, `#!/bin/sh\n${commands.join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}

const turnOf = (given: Partial<Turn> = {}): Turn => ({
  agent: { kind: 'claude' },
  message: 'hello',
  conversation: null,
  maskStream: unmasked,
  runtime: agentRig().runtime(),
  signal: new AbortController().signal,
  ...given,
});
const start = (path: string, given: Partial<Turn> = {}): Talk =>
  new Talk(turnOf(given), { program: path });
const run = (...commands: string[]) => start(program(...commands)).ended();

describe('[A2] a Claude Code that cannot work', () => {
  test('is not there', async () => {
    const talk = await start('/not/there/claude').ended();
    expect(talk.outcome).toEqual(
      failure(
        'agent_unavailable',
        expect.stringMatching(/not found\. Install it \(npm install.*BATON_CLAUDE_PATH/),
      ),
    );
  });

  test('is too old to ask about every call, and is stopped at once', async () => {
    const old = INIT.replace(OLDEST_VERSION, '2.1.112');
    const talk = await run(old, 'while read line; do :; done; sleep 1000');
    expect(talk.outcome).toEqual(
      failure('agent_unavailable', expect.stringMatching(/2\.1\.112 is too old.*npm install/)),
    );
  });

  test('does not know an option', async () => {
    const talk = await run(`echo "error: unknown option '--setting-sources'" >&2; exit 1`);
    expect(talk.outcome).toEqual(failure('agent_unavailable', expect.stringContaining('too old')));
  });

  test('is signed out', async () => {
    const talk = await run(INIT, 'echo "Invalid API key · Please run /login" >&2; exit 1');
    expect(talk.outcome).toEqual(failure('auth_failed', expect.stringContaining('sign in')));
  });

  test('is looked for on the PATH, then in node_modules', async () => {
    const path = program('true');
    const [PATH, packaged] = [`/not/there:${join(path, '..')}`, packagedProgram];
    const pathFor = (settings: object) => agentRig().runtimeAt('/', settings).find('claude');
    expect(await pathFor({ environment: { PATH }, packaged })).toBe(path);
    expect(await pathFor({ environment: {}, packaged })).toMatch(/node_modules\/.*claude$/);
    expect(await pathFor({ environment: {} })).toBeNull();
    const runtime = agentRig().runtime('/', { environment: { PATH } });
    const named = new Talk(turnOf({ runtime }), { program: '/named/claude' });
    expect((await named.ended()).commandLines).toEqual([]);
    const talk = await new Talk(turnOf({ runtime }), {}).ended();
    expect(talk.commandLines[0]?.[0]).toBe(path);
  });
});

describe('[A4] a Claude Code that behaves badly', () => {
  test('prints garbage, which is kept as notices', async () => {
    const talk = await run(INIT, 'echo "not JSON"', line({ type: 'new' }), said('hi'), RESULT);
    expect(talk.notices).toEqual([
      'Claude Code said: not JSON',
      'Claude Code said: {"type":"new"}',
    ]);
    expect(talk.messages).toEqual(['hi']);
    expect(talk.outcome).toEqual({ kind: 'succeeded', result: { text: 'fine', turns: 0 } });
  });

  test('exits without output and without reading its input', async () => {
    const path = program('exit 3');
    const talk = await start(path, { message: 'x'.repeat(1_000_000) }).ended();
    expect(talk.outcome).toEqual(failure('agent_crash', expect.stringContaining('exit code 3')));
    expect(talk.end.exitCode).toBe(3);
  });

  test('sends an unknown request, and is refused', async () => {
    const request = { type: 'control_request', request_id: 'r1', request: { subtype: 'odd' } };
    const talk = await run(
      INIT,
      line(request),
      'read prompt; read answer; echo "$answer" >&2',
      RESULT,
    );
    expect(JSON.parse(talk.end.stderr)).toEqual({
      type: 'control_response',
      response: { subtype: 'error', request_id: 'r1', error: 'not supported' },
    });
  });

  test('[P4] asks about an input that is nested too deeply, which is denied unseen', async () => {
    const input = JSON.parse(`{"x":${'['.repeat(2000)}${']'.repeat(2000)}}`);
    const call = { subtype: 'can_use_tool', tool_name: 'TaskCreate', input, tool_use_id: 'call' };
    const talk = await run(
      INIT,
      line({ type: 'control_request', request_id: 'r1', request: call }),
      'read prompt; read answer; echo "$answer" >&2',
      RESULT,
    );
    expect(JSON.parse(talk.end.stderr)).toMatchObject({
      response: {
        request_id: 'r1',
        response: { behavior: 'deny', message: expect.stringContaining('nested too deeply') },
      },
    });
    expect(talk.outcome).toMatchObject({ kind: 'succeeded' });
  });

  test('[Q15] is refused by a limit that has already ended, which is no reason to wait', async () => {
    const info = { status: 'rejected', resetsAt: 1_000_000, rateLimitType: 'five_hour' };
    const error = { type: 'result', subtype: 'success', is_error: true, api_error_status: 429 };
    const talk = await run(
      INIT,
      line({ type: 'rate_limit_event', rate_limit_info: info }),
      line({ ...error, result: 'limit' }),
    );
    expect(talk.outcome).toEqual(failure('overloaded', 'limit'));
  });

  test('[A1] is not started if searching for it fails', async () => {
    const find = () => Promise.reject(new Error('broken'));
    const runtime = { ...agentRig().runtime(), find };
    const talk = await new Talk(turnOf({ runtime }), {}).ended();
    expect(talk.outcome).toEqual(failure('unknown', expect.stringContaining('broken')));
  });

  test('[A11] is not started without a file of its message', async () => {
    const attachments = [{ name: 'a.png', path: '/not/there.png', mediaType: 'image/png' }];
    const talk = await start(program('true'), { attachments }).ended();
    expect(talk.outcome).toEqual(failure('invalid_request', expect.stringContaining('there.png')));
  });
});
