import { readFileSync, realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentRig, unmasked } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import type { Process } from '../../workspaces/process.ts';
import type { DriverEvent, Turn, TurnRuntime } from '../driver.ts';
import { SHELL_SETTINGS, shellDriver } from './driver.ts';

interface Given {
  message: string;
  agent?: AgentSpec;
  runtime?: TurnRuntime;
  signal?: AbortSignal;
  maskStream?: Turn['maskStream'];
}

function run(given: Given, settings = SHELL_SETTINGS): AsyncIterable<DriverEvent> {
  return shellDriver(settings).run({
    agent: { kind: 'shell' },
    conversation: null,
    maskStream: unmasked,
    runtime: agentRig().runtime(),
    signal: new AbortController().signal,
    ...given,
  });
}

/** A runtime that starts processes in its own way. */
const starting = (spawn: TurnRuntime['spawn']): TurnRuntime => ({ ...agentRig().runtime(), spawn });

/** All events, and what most tests ask of them. */
async function all(events: AsyncIterable<DriverEvent>) {
  const list: DriverEvent[] = [];
  for await (const event of events) list.push(event);
  const last = list.at(-1);
  if (last?.kind !== 'end') throw new Error('no end');
  const said = (stream: string) =>
    list.map((event) => (event.kind === 'delta' && event.stream === stream ? event.text : ''));
  return {
    list,
    kinds: list.map(({ kind }) => kind).filter((kind, n, kinds) => kind !== kinds[n - 1]),
    end: last.end,
    stdout: said('stdout').join(''),
    stderr: said('stderr').join(''),
    message: list.find((event) => event.kind === 'message'),
  };
}
const failure = (kind: string, message: string) => ({
  kind: 'failed',
  error: { class: kind, message },
});

/** Of every secret longer than a few characters, what is left when its beginning is cut off. */
const restsOf = (secret: string): string[] =>
  secret.split('\n').flatMap((line) => (line.length > 24 ? [line.slice(12)] : []));

test('[P4] what is kept of the output is masked before it is cut', async () => {
  const settings = { ...SHELL_SETTINGS, messageTail: 600, resultTail: 300 };
  const masker = createMasker();
  const kinds = ['GitHub', 'Anthropic', 'JWT', 'LINE, long-lived', 'private key, RSA'];
  const long = SECRETS.filter(({ what }) => kinds.includes(what));
  expect(long).toHaveLength(kinds.length);
  for (const { what, text } of long) {
    // The cut is a few characters after its beginning.
    const print = (tail: number): string => {
      const rest = Math.max(0, tail - text.length + 5);
      return `printf '%s%*s' "$t" ${rest} ''`;
    };
    const encoded = Buffer.from(text).toString('base64');
    const message = `t=$(echo ${encoded} | base64 -d); ${print(300)} >&2; ${print(600)}`;
    const { list, end } = await all(run({ message, maskStream: () => masker.stream() }, settings));
    const kept = JSON.stringify([end, list.filter(({ kind }) => kind === 'message')]);
    for (const rest of restsOf(text)) {
      expect(kept.includes(rest.slice(0, 12)), `${what}: ${kept.slice(0, 200)}`).toBe(false);
    }
  }
}, 120_000);

describe('the shell agent', () => {
  test('[A1] runs the message as a command and emits its output', async () => {
    const { kinds, stdout, stderr, message, end } = await all(
      run({ message: 'echo out; echo err >&2' }),
    );
    expect(kinds).toEqual(['init', 'delta', 'message', 'end']);
    expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
    expect(message).toEqual({
      kind: 'message',
      text: expect.stringMatching(/^(out|err)\n(out|err)\n$/),
    });
    expect(end).toEqual({
      outcome: { kind: 'succeeded', result: { exitCode: 0, output: message?.text } },
      lastMessage: message?.text,
      exitCode: 0,
      signal: null,
      stderr: 'err\n',
    });
  });

  test('[A1] has nothing to read', async () => {
    expect((await all(run({ message: 'cat; echo end' }))).stdout).toBe('end\n');
  });

  test('[A1] works in the workspace', async () => {
    const cwd = realpathSync(temporaryDirectory());
    expect((await all(run({ message: 'pwd', runtime: agentRig().runtime(cwd) }))).stdout).toBe(
      `${cwd}\n`,
    );
  });

  test('[A1] says nothing when its command says nothing', async () => {
    const { kinds, end } = await all(run({ message: 'true' }));
    expect(kinds).toEqual(['init', 'end']);
    expect(end.lastMessage).toBeNull();
  });

  test('[A1] hands the message to the session’s own command as it is', async () => {
    const agent: AgentSpec = { kind: 'shell', command: ['printf', '<%s>', 'a b'] };
    expect((await all(run({ message: '$(echo) "x" *', agent }))).stdout).toBe(
      '<a b><$(echo) "x" *>',
    );
  });

  test.each([
    ['a dash', '-v', 'failed'],
    ['quotes and lines', "printf '%s' \"it's\n  \"; # end", 'succeeded'],
    ['more than one argument may hold', `: '${'語'.repeat(150_000)}'; echo`, 'succeeded'],
  ])('[A1] takes any message as a command: %s', async (_, message, kind) => {
    expect((await all(run({ message }))).end.outcome.kind).toBe(kind);
  });

  test('[A1] a long message means the same as a short one', async () => {
    const cwd = temporaryDirectory();
    const text = `${'語'.repeat(120_000)}é"$x\n`;
    const message = `x='${text}'; printf '%s' "$x" > written`;
    const { end } = await all(run({ message, runtime: agentRig().runtime(cwd) }));
    expect(end.exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'written'), 'utf8')).toBe(text);
  });
});

describe('the end of a command', () => {
  test('[Q15] another exit code than 0 is command_failed', async () => {
    const { end } = await all(run({ message: 'echo before; exit 3' }));
    expect(end.outcome).toEqual(failure('command_failed', 'The command exited with code 3.'));
    expect(end).toMatchObject({ exitCode: 3, signal: null, lastMessage: 'before\n' });
  });

  test('[Q15] a signal from elsewhere is agent_crash', async () => {
    const { end } = await all(run({ message: 'kill -KILL $$' }));
    expect(end.outcome).toEqual(failure('agent_crash', 'The command was killed by SIGKILL.'));
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('[Q15] a missing program is agent_unavailable', async () => {
    const agent: AgentSpec = { kind: 'shell', command: ['no-such-program'] };
    const { end, kinds } = await all(run({ message: 'x', agent }));
    const message =
      'The program no-such-program was not found. Install it, or correct the command.';
    expect(end.outcome).toEqual(failure('agent_unavailable', message));
    expect(kinds).toEqual(['end']);
  });

  test('[A1] a spawn that breaks is an end, not an exception', async () => {
    const { end } = await all(
      run({ message: 'x', runtime: starting(() => Promise.reject(new Error('no'))) }),
    );
    expect(end.outcome).toEqual(failure('unknown', 'Error: no'));
  });

  test('[Q9] an aborted signal stops it, and what it said is kept', async () => {
    const rig = agentRig();
    const abort = new AbortController();
    const list: DriverEvent[] = [];
    const message = 'trap "echo interrupted; exit 1" INT; sleep 1000 & echo begun; wait';
    for await (const event of run({ message, runtime: rig.runtime(), signal: abort.signal })) {
      list.push(event);
      if (event.kind === 'delta') abort.abort();
    }
    expect(list.at(-1)).toMatchObject({ end: { outcome: { kind: 'stopped' }, exitCode: 1 } });
    expect(list.at(-2)).toEqual({ kind: 'message', text: 'begun\ninterrupted\n' });
    expect(rig.marked()).toEqual([]);
  });

  test('[Q9] an agent aborted before it begins starts nothing', async () => {
    const runtime = starting(() => Promise.reject(new Error('started')));
    const { list } = await all(run({ message: 'x', runtime, signal: AbortSignal.abort() }));
    expect(list).toMatchObject([{ kind: 'end', end: { outcome: { kind: 'stopped' } } }]);
  });

  test('[Q9] it is stopped even if nobody takes its output', async () => {
    const rig = agentRig();
    const abort = new AbortController();
    const options = { message: 'yes', runtime: rig.runtime(), signal: abort.signal };
    const events = run(options)[Symbol.asyncIterator]();
    await events.next();
    await until(() => rig.marked().length > 0);
    abort.abort();
    await until(() => rig.marked().length === 0);
    await events.return?.();
  });

  test('[A9] a consumer that leaves early leaves nothing running', async () => {
    const rig = agentRig();
    for await (const event of run({ message: 'yes', runtime: rig.runtime() })) {
      if (event.kind === 'delta') break;
    }
    expect(rig.marked()).toEqual([]);
  });

  test.each([
    ['holds its output open', 'sleep 1000 & echo left'],
    ['writes for ever', 'yes > /dev/null & (while :; do echo left; sleep 0.01; done) & sleep 0.1'],
    [
      'ignores everything',
      'trap "" INT TERM; (while :; do echo left; sleep 0.01; done) & sleep 0.1',
    ],
  ])('[A9] what it leaves in the background does not hold up the end: %s', async (_, message) => {
    const rig = agentRig();
    const { end, stdout } = await all(run({ message, runtime: rig.runtime() }));
    expect(end.outcome.kind).toBe('succeeded');
    expect(stdout).toContain('left\n');
    expect(rig.marked()).toEqual([]);
  });

  test('[A1] a command that closes its output is waited for', async () => {
    const message = 'exec > /dev/null 2>&1 < /dev/null; sleep 0.1; exit 5';
    expect((await all(run({ message }))).end.exitCode).toBe(5);
  });
});

describe('output', () => {
  test('[A1] characters that come in two pieces are whole', async () => {
    const message =
      "printf '\\343\\201'; sleep 0.1; printf '\\202\\360\\237'; sleep 0.1; printf '\\230\\200'";
    const { list, stdout } = await all(run({ message }));
    expect(stdout).toBe('あ😀');
    expect(list.filter(({ kind }) => kind === 'delta')).toHaveLength(2);
  });

  test('[A1] what is no text becomes U+FFFD', async () => {
    const { stdout, list } = await all(run({ message: "printf 'a\\000b\\377c\\343\\201'" }));
    expect(stdout).toBe('a\uFFFDb\uFFFDc\uFFFD');
    expect(JSON.stringify(list)).not.toContain('\\u0000');
  });

  test('[A1] of long output the end is kept', async () => {
    const settings = { ...SHELL_SETTINGS, messageTail: 1000, resultTail: 100 };
    const { message, end, stdout } = await all(
      run({ message: 'i=0; while [ $i -lt 2000 ]; do echo "😀 $i"; i=$((i+1)); done' }, settings),
    );
    expect(stdout.split('\n')).toHaveLength(2001);
    expect(message?.truncated).toBe(true);
    expect(message?.text.length).toBeLessThanOrEqual(1000);
    expect(message?.text.endsWith('😀 1998\n😀 1999\n')).toBe(true);
    expect(message?.text.isWellFormed()).toBe(true);
    expect(end.lastMessage?.length).toBeLessThanOrEqual(100);
    expect(end.outcome).toMatchObject({ result: { output: end.lastMessage } });
  });

  test('[E7] is read no faster than it is taken, in pieces of a bounded size', async () => {
    const spawn = agentRig().spawnFor();
    let flood: Process | undefined;
    const events = run({
      message: 'yes 1234567',
      runtime: starting(async (...given) => (flood = await spawn(...given))),
    })[Symbol.asyncIterator]();
    let taken = 0;
    const take = async () => {
      const { value } = await events.next();
      if (value?.kind !== 'delta') return;
      expect(value.text.length).toBeLessThanOrEqual(SHELL_SETTINGS.pieceBytes);
      taken += value.text.length;
    };
    for (let n = 0; n < 100; n++) await take();
    const stdout = flood?.stdout as Socket;
    await until(() => stdout.readableLength >= stdout.readableHighWaterMark);
    // Others go on, and it does not.
    await all(run({ message: 'true' }));
    expect(stdout.bytesRead - taken).toBeLessThanOrEqual(4 * stdout.readableHighWaterMark);
    for (let n = 0; n < 100; n++) await take();
    expect(taken).toBeGreaterThan(1_000_000);
    await events.return?.();
  });
});
