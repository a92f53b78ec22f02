import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import type { ToolRules, Verdict } from '../../src/contract/policy.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import type { NewApproval } from '../../src/sessions/approvals/approval-store.ts';
import { sealCall } from '../../src/sessions/approvals/call-original.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import { ask } from '../support/asking.ts';
import { createDatabase } from '../support/postgres.ts';
import { root } from '../support/processes.ts';
import { TOKEN } from '../support/server-rig.ts';
import { Desk, ended } from './cli-rig.ts';
import { commandsInOneProcess } from './command-host.ts';

// Many commands, each a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });
commandsInOneProcess();

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

/** A server, and runs on the same database that ask questions. */
async function rig() {
  const { url: databaseUrl, drop } = await createDatabase();
  // Runs last, after the server has stopped.
  onTestFinished(drop);
  const desk = new Desk();
  const server = await desk.server({
    env: { BATON_ADMIN_TOKEN: TOKEN, BATON_DATABASE_URL: databaseUrl },
  });
  const store = await postgresStore({ url: databaseUrl });
  onTestFinished(() => store.close());
  const env = { BATON_TOKEN: TOKEN, BATON_URL: server.url };
  const asking = async (given: Partial<NewApproval> = {}, name = `asks ${newId().slice(-12)}`) => {
    const { id } = await server.session(name);
    const { asked, claimed } = await ask(store, id, given);
    return { ...asked, claimed };
  };
  return {
    desk,
    store,
    server,
    asking,
    shell: (script: string) => ended(desk.shell(`set -eu; cd "$HOME"\n${script}`, env)),
    done: (...args: string[]) => desk.done(args, env),
    json: <T>(...args: string[]) => desk.json<T>(args, env),
  };
}

test('[C1] [A7] [H4] list, show, allow, edit, deny, and allow for the session', async () => {
  const { asking, done, json, desk, shell, server } = await rig();
  expect(await json('approve')).toEqual([]);
  const one = await asking();
  const [line = ''] = linesOf((await done('approve')).stdout);
  expect(line.split('\t').slice(0, 5)).toEqual([
    one.id,
    'pending',
    'Bash',
    'Bash npm publish',
    one.sessionId,
  ]);
  const card = (await done('approve', 'show', one.id.slice(0, 30))).stdout;
  expect(card).toContain('  $ npm publish\n');
  const allowed = await done('approve', one.id.slice(0, 30), 'allow', '--session');
  expect([allowed.code, allowed.stdout]).toEqual([
    0,
    'Allowed: Bash npm publish\nFrom now on this session allows Bash(npm publish).\n',
  ]);
  const rules = await json<ToolRules>('policy', 'show', '--session', one.sessionId);
  expect(rules.allow).toEqual(['Bash(npm publish)']);

  const again = await done('approve', one.id, 'deny');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('approval_decided')]);
  const late = await server.fetch('POST', `/api/v1/approvals/${one.id}`, { decision: 'allow' });
  expect([late.status, ((await late.json()) as { error: { code: string } }).error.code]).toEqual([
    409,
    'approval_decided',
  ]);

  const two = await asking();
  writeFileSync(desk.path('wrong.json'), '{"command": 5, "description": ""}');
  const wrong = await done('approve', two.id, 'allow', '--edit', desk.path('wrong.json'));
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('input.command: ')]);
  const edited = await shell(
    `echo '{"command": "ls", "description": ""}' | baton approve ${two.id} allow --edit - --json`,
  );
  expect(JSON.parse(edited.stdout)).toMatchObject({ editedInput: { command: 'ls' } });

  const three = await asking({
    tool: 'AskUserQuestion',
    kind: 'question',
    input: { questions: [{ question: 'Which colour?' }] },
  });
  const answered = await json<Approval>('approve', three.id, 'allow', '--answer', 'Red');
  expect(answered.editedInput).toMatchObject({ answers: { 'Which colour?': 'Red' } });

  const other = await asking();
  writeFileSync(desk.path('other.json'), '{"command": "ls", "description": ""}');
  const edit = await done('approve', other.id, 'allow', '--edit', desk.path('other.json'));
  expect(edit.stdout).toBe('Allowed with edited input: Bash ls\n');

  const four = await asking();
  const denied = await json<Approval>('approve', four.id, 'deny', '--message', 'No.');
  expect(denied).toMatchObject({ state: 'denied', message: 'No.' });
  expect(await json('approve')).toEqual([]);
  const all = await json<Approval[]>('approve', '--all');
  expect(all.map(({ id, state }) => [id, state])).toEqual([
    [four.id, 'denied'],
    [other.id, 'allowed'],
    [three.id, 'allowed'],
    [two.id, 'allowed'],
    [one.id, 'allowed'],
  ]);
});

test('[P4] [C1] a question with a masked part says so, and shows it to someone who may answer', async () => {
  const { asking, done, json, desk } = await rig();
  const id = newId();
  const key = Buffer.from(readFileSync(join(desk.dataDir, 'secret-key'), 'utf8'), 'base64');
  const command = 'mysql --password "x$(touch P)"';
  await asking({
    id,
    masked: true,
    input: { command: 'mysql --password "***MASKED***$(touch P)"' },
    original: sealCall({ command }, id, aesBox(key)),
  });
  const card = (await done('approve', 'show', id)).stdout;
  expect(card).toContain('Part of this is hidden');
  expect(card).toContain('  $ mysql --password "***MASKED***$(touch P)"\n');
  expect(card).not.toContain(command);
  const original = (await done('approve', 'show', id, '--original')).stdout;
  expect(original).toContain(`  $ ${command}\n`);
  expect(original).not.toContain('hidden');
  const audit = await json<{ action: string; target: object }[]>(
    'audit',
    '--action',
    'approval.reveal',
  );
  expect(audit).toMatchObject([{ target: { kind: 'approval', id } }]);
  expect((await done('approve', id, 'allow')).stdout).toContain('Part of this is hidden');
});

test('[C1] errors about approvals and rules say what is wrong and what to do', async () => {
  const { done, asking, desk } = await rig();
  const { id } = await asking();
  writeFileSync(desk.path('no.json'), 'no');
  const cases: [string[], string][] = [
    [['approve', 'show'], 'Missing argument: <id>.'],
    [['approve', '0000000'], 'Missing argument: <allow|deny>.'],
    [['approve', '0000000', 'allow'], 'There is no question "0000000".'],
    [['approve', id, 'maybe'], '"maybe" is not a valid answer.'],
    [['approve', id, 'allow', '--edit', desk.path('none.json')], 'cannot be read.'],
    [['approve', id, 'allow', '--answer', 'Red'], '--answer cannot be used here.'],
    [['approve', id, 'allow', '--edit', desk.path('none.json')], 'Why: there is no such file.'],
    [['approve', id, 'allow', '--edit', desk.path('no.json')], 'Why: it is not JSON.'],
    [['approve', id, 'deny', '--session'], '--session cannot be combined with deny.'],
    [['approve', id, 'deny', '--answer', 'Red'], '--answer cannot be combined with deny.'],
    [['policy'], '"baton policy" needs a subcommand.'],
    [['policy', 'set'], 'No rules were given.'],
    [['policy', 'set', 'Read'], '"Read" is not a valid rule.'],
    [['policy', 'set', 'enforce-allow:Read'], '"enforce-allow:Read" is not a valid rule.'],
    [['policy', 'set', '--none', 'allow:Read'], 'Rules were given in more than one way.'],
    [['policy', 'set', 'allow:rm -rf'], 'allow.0'],
    [
      ['policy', 'show', '--channel', 'web', '--session', 'x'],
      '--channel and --session cannot be combined.',
    ],
    [['policy', 'test', 'Read'], 'Missing option: --channel <channel>.'],
    [['policy', 'test', 'git push', '--channel', 'line'], '"git push" is not a valid tool call.'],
  ];
  for (const [args, said] of cases) {
    const { code, stdout, stderr } = await done(...args);
    expect([args, code, stdout, stderr]).toEqual([args, 2, '', expect.stringContaining(said)]);
    expect(stderr).toContain('What to do: ');
  }
});

test('[C1] [P1] rules are shown, set and tested for the server, a channel and a session', async () => {
  const { done, json, shell, server } = await rig();
  const deny = { decision: 'deny', scope: 'channel', rule: 'Bash(git push)' };
  const push = ['policy', 'test', 'Bash(git push)', '--channel'];
  expect(await json<Verdict>(...push, 'line')).toMatchObject(deny);
  expect((await done(...push, 'cli')).stdout).toMatch(/^allow: /);
  expect(linesOf((await done('policy', 'show', '--channel', 'web')).stdout)).toContain(
    'deny\tBash(rm -rf)',
  );
  expect((await done('policy', 'set', 'deny:WebFetch', 'ask:Read')).stdout).toBe(
    'deny\tWebFetch\nask\tRead\n',
  );
  const global = await shell('baton policy show --json');
  const copied = await shell(`echo '${global.stdout}' | baton policy set --channel line --file -`);
  expect(copied.stdout).toBe('deny\tWebFetch\nask\tRead\n');
  const { id } = await server.session('ruled');
  await done('policy', 'set', '--session', 'ruled', 'allow:Bash(git push)');
  expect(await json<Verdict>(...push, 'line', '--session', id)).toMatchObject({
    decision: 'allow',
    scope: 'session',
  });
  expect(await json('policy', 'set', '--session', 'ruled', '--none')).toEqual({
    allow: [],
    ask: [],
    deny: [],
  });
});

test('[C1] [P1] rules can be enforced, except those of a session', async () => {
  const { done, json, server } = await rig();
  const set = ['policy', 'set', '--channel', 'cli', 'enforce-deny:Bash(git push)', 'ask:Read'];
  expect((await done(...set)).stdout).toBe('deny\tBash(git push)\tenforced\nask\tRead\n');
  expect(await json('policy', 'show', '--channel', 'cli')).toEqual({
    allow: [],
    ask: ['Read'],
    deny: ['Bash(git push)'],
    enforced: ['Bash(git push)'],
  });
  await server.session('ruled');
  await done('policy', 'set', '--session', 'ruled', 'allow:*');
  const test = ['policy', 'test', 'Bash(git push)', '--channel', 'cli', '--session', 'ruled'];
  expect((await done(...test)).stdout).toBe(
    'deny: "Bash(git push)" is denied by the enforced rules of the channel\n',
  );
  expect(await json<Verdict>(...test)).toMatchObject({ enforced: true });
  const own = await done('policy', 'set', '--session', 'ruled', 'enforce-deny:Read');
  expect([own.code, own.stderr]).toEqual([
    2,
    expect.stringContaining('Session rules cannot be enforced.'),
  ]);
});

test('[C1] the commands of docs/cli.md about approvals and rules run unchanged', async () => {
  const { asking, shell, store, server } = await rig();
  await server.session('demo');
  const asked = [await asking(), await asking(), await asking()];
  const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
  const [from, to] = [page.indexOf('## What agents ask'), page.indexOf('## Users and tokens')];
  const blocks = [...page.slice(from, to).matchAll(/^```sh\n(.*?)^```/gms)];
  expect(blocks).toHaveLength(2);
  const { code, stdout, stderr } = await shell(blocks.map(([, text]) => text).join(''));
  expect([code, stderr]).toEqual([0, '']);
  const states = await Promise.all(asked.map(({ id }) => store.getApproval(id)));
  // The newest is answered first.
  expect(states.map((each) => [each?.state, each?.scope, each?.editedInput !== null])).toEqual([
    ['allowed', 'once', true],
    ['denied', 'once', false],
    ['allowed', 'session', false],
  ]);
  expect(stdout).toContain('deny: "Bash(git push)" is denied by the rules of the channel');
  expect(stdout).toContain('allow: "Bash(git push)" is allowed by the rules of the session');
});
