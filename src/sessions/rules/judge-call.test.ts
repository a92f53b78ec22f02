import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { Channel } from '../../contract/message.ts';
import type { Json } from '../../contract/values/json.ts';
import { OwnFiles } from '../../policy/tools/own-files.ts';
import { judgeCall, linksIn } from './judge-call.ts';

const NONE = { allow: [], ask: [], deny: [] };

function machine() {
  const home = temporaryDirectory();
  const [work, data, outside] = [join(home, 'work'), join(home, '.baton'), join(home, 'outside')];
  for (const folder of [work, data, outside, join(work, '.git'), join(work, 'src')]) {
    mkdirSync(folder);
  }
  mkdirSync(join(data, 'workspaces', 'other'), { recursive: true });
  for (const name of ['secret-key', 'admin-token']) writeFileSync(join(data, name), 'secret');
  writeFileSync(join(work, '.env'), 'A=b');
  symlinkSync(outside, join(work, 'away'));
  symlinkSync('.git', join(work, 'hidden'));
  symlinkSync('.env', join(work, 'settings'));
  symlinkSync(data, join(work, 'link'));
  symlinkSync('/proc/net', join(work, 'door'));
  symlinkSync('/proc/1/cwd', join(work, 'server'));
  symlinkSync(join(data, 'secret-key'), join(work, 'notes.txt'));
  symlinkSync(join(data, 'secret-key'), join(work, 'my notes.txt'));
  symlinkSync(join(data, 'secret-key'), join(work, 'odd\u00a0name.txt'));
  symlinkSync(data, join(work, 'my folder'));
  const own = new OwnFiles({ paths: [data], except: [join(data, 'workspaces')] });
  const verdict = (
    tool: string,
    input: Json,
    channel: Channel,
    session: object = {},
    global: object | null = null,
  ) => {
    const rules = { session: { ...NONE, ...session }, channels: {}, global };
    const sent = { sent: { channel } };
    return judgeCall({ tool, input }, testRuntime(work), sent, rules as never, own);
  };
  const decide = async (...given: Parameters<typeof verdict>): Promise<string> =>
    (await verdict(...given)).decision;
  return { home, work, data, outside, verdict, decide };
}

test('[P1] if an ordinary and an enforced rule both ask, the verdict is the enforced one', async () => {
  const { outside, verdict } = machine();
  const rule = `Read(/${outside}/**)`;
  const global = { ...NONE, ask: [rule], enforced: [rule] };
  const session = { ask: ['Read(away/a)'] };
  expect(await verdict('Read', { file_path: 'away/a' }, 'cli', session, global)).toMatchObject({
    decision: 'ask',
    scope: 'global',
    rule,
    enforced: true,
  });
});

test('[P2] on web and api, files outside the workspace and in .git need approval, by their real paths', async () => {
  const { work, outside, decide } = machine();
  const expected: [path: string, decision: string][] = [
    ['a', 'allow'],
    [join(work, 'src/a'), 'allow'],
    ['/proc/self/cwd/src/a', 'allow'],
    ['away/a', 'ask'],
    ['hidden/hooks/pre-commit', 'ask'],
    ['.git/config', 'ask'],
    ['src/../../x', 'ask'],
    ['away/../x', 'ask'],
    [join(outside, 'a'), 'ask'],
    [`/proc/self/root${work}/.git/config`, 'ask'],
    [`/proc/self/root${outside}/a`, 'ask'],
    ['/proc/1/cwd/a', 'ask'],
    ['~/.bashrc', 'ask'],
  ];
  for (const channel of ['web', 'api'] as const) {
    for (const tool of ['Read', 'Write', 'Edit', 'MultiEdit']) {
      const seen = await Promise.all(
        expected.map(async ([path]) => [path, await decide(tool, { file_path: path }, channel)]),
      );
      expect(seen).toEqual(expected);
    }
    expect(await decide('NotebookEdit', { notebook_path: 'away/a' }, channel)).toBe('ask');
  }
});

test('[P4] the reason names where a link leads, so that nobody approves another file', async () => {
  const { outside, verdict } = machine();
  const link = `; through a link it leads to ${JSON.stringify(join(outside, 'a'))}`;
  for (const [tool, input] of [
    ['Write', { file_path: 'away/a', content: '' }],
    ['Read', { file_path: 'src/../away/a' }],
    ['Bash', { command: 'touch away/a' }],
    ['mcp__x__y', { any: 'away/a' }],
  ] as const) {
    expect((await verdict(tool, input, 'web')).reason).toMatch(link);
  }
  const { reason } = await verdict('Bash', { command: 'cp settings hidden/a away/a x' }, 'web');
  expect(reason).toMatch(new RegExp(`leads to "[^"]*/\\.git/a", "${join(outside, 'a')}", "`));
  expect((await verdict('Glob', { pattern: 'away/*' }, 'web')).reason).toContain(`"${outside}"`);
  const many = Array.from({ length: 5100 }, (_, i) => `f${i}`).join(' ');
  expect((await verdict('Bash', { command: `cp ${many} away` }, 'web')).reason).toMatch(
    'it has too many names to see where its links lead',
  );
  const plain = await verdict('Write', { file_path: join(outside, 'a'), content: '' }, 'web');
  expect(plain.reason).not.toContain('link');
});

test('[P4] what a reason says about links is recognised again', async () => {
  const { verdict, work, outside } = machine();
  const input = { file_path: 'away/a', content: '' };
  const { reason } = await verdict('Write', input, 'web');
  expect(linksIn(reason)).toContain(join(outside, 'a'));
  rmSync(join(work, 'away'));
  symlinkSync('/etc', join(work, 'away'));
  const after = await verdict('Write', input, 'web');
  expect(linksIn(after.reason)).not.toBe(linksIn(reason));
  expect(linksIn('because')).toBe('');
});

test('[P4] the reason changes if a link that it does not name leads elsewhere', async () => {
  const { verdict, work, outside } = machine();
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names) symlinkSync(join(outside, name), join(work, name));
  const links = async () =>
    linksIn((await verdict('Bash', { command: `cp ${names.join(' ')} x` }, 'web')).reason);
  const before = await links();
  expect(before).toMatch(/"[^"]*three" and 2 more \(checksum [0-9a-f]{16}\)$/);
  rmSync(join(work, 'five'));
  symlinkSync('/etc', join(work, 'five'));
  expect(await links()).not.toBe(before);
});

test('[P4] a link to a name that looks like a part of the reason hides no other link', async () => {
  const { verdict, work } = machine();
  symlinkSync('/x; through a link it leads to "y', join(work, 'odd'));
  symlinkSync('/x; it is unknown where its links lead', join(work, 'odder'));
  const links = async () =>
    linksIn((await verdict('Bash', { command: 'cp away/a odd odder' }, 'web')).reason);
  const before = await links();
  rmSync(join(work, 'away'));
  symlinkSync('/etc', join(work, 'away'));
  expect(await links()).not.toBe(before);
});

test('[P2] nor may safe commands create or move files there', async () => {
  const { decide } = machine();
  const asked = ['touch away/a', 'mkdir hidden/x', 'git mv a hidden/b', 'prettier --write away'];
  const free = [
    'touch src/a',
    'mkdir src/x',
    'git mv a src/b',
    'prettier --write .',
    'npm test src',
  ];
  for (const command of asked) expect(await decide('Bash', { command }, 'web')).toBe('ask');
  for (const command of free) {
    expect([command, await decide('Bash', { command }, 'web')]).toEqual([command, 'allow']);
  }
});

test('[P7] no tool of an agent may use Baton’s own files, on any channel, whatever the rules say', async () => {
  const { data, decide } = machine();
  const key = join(data, 'secret-key');
  const bash = (command: string): [string, Json] => ['Bash', { command }];
  const denied: [string, Json][] = [
    ['Read', { file_path: key }],
    ['Read', { file_path: `/proc/self/root${key}` }],
    ['Read', { file_path: key.toUpperCase() }],
    ['Read', { file_path: 'link/secret-key' }],
    ['Read', { file_path: 'notes.txt' }],
    ['Read', { file_path: 'away/../.baton/secret-key' }],
    ['Write', { file_path: join(data, 'new') }],
    ['Write', { file_path: 'link/new' }],
    ['Edit', { file_path: join(data, 'baton.db') }],
    ['Grep', { pattern: 'x', path: data }],
    ['Grep', { pattern: 'x', path: 'link' }],
    ['Glob', { pattern: 'link/*' }],
    ['mcp__files__read', { options: [{ path: key }] }],
    ['mcp__files__read', { uri: `file://${key}` }],
    ['mcp__files__read', { path: 'notes.txt' }],
    bash(`cat ${key}`),
    bash(`cat /proc/self/root${key}`),
    bash(`od -An -c /proc/1/root${data}/admin-token`),
    bash('cat link/secret-key'),
    bash('cat notes.txt'),
    bash('cat notes.txt | base64'),
    bash('cat "my notes.txt" | base64'),
    bash('cat my\\ notes.txt'),
    bash('cat not\\\nes.txt | base64'),
    bash('cat "$PWD/notes.txt"'),
    bash('cat odd\u00a0name.txt; true'),
    bash(`cat notes.txt; : ${Array.from({ length: 1500 }, (_, i) => `w${i}`).join(' ')}`),
    ['mcp__db__open', { url: `sqlite://${data}/baton.db` }],
    ['mcp__db__open', { url: `jdbc:sqlite:${data}/baton.db` }],
    ['mcp__files__read', { uri: 'file:notes.txt?x#y' }],
    ['mcp__files__read', { names: { [key]: {} } }],
    ['mcp__shell__run', { command: 'cat $PWD/notes.txt' }],
    ['mcp__shell__run', { command: `cat notes.txt; : ${'w '.repeat(10)}`, more: { a: ['b'] } }],
    bash(`cat ${data.replace('.baton', '.ba{t{on,x},y}')}/a{d{min,x},y}-token`),
    bash('cat "my folder"/secret-key | base64'),
    bash('grep -fnotes.txt x'),
    bash('cp notes.txt x'),
    bash('cp -r link x'),
    bash('touch link/new'),
    bash(`cat ${data}/secret-*`),
    bash(`cat ${data.replace('.baton', '.bat?n')}/x`),
    bash(`cd ${data} && cat secret-key`),
    bash(`sqlite3 ${data}/baton.db .dump`),
    ['Read', { file_path: ` ${key}` }],
    ['Read', { file_path: ' link/secret-key' }],
    ['Read', { file_path: 'missing/../link/secret-key' }],
    ['Read', { file_path: 'missing/deep/../../notes.txt' }],
    ['Read', { file_path: 'away/../notes.txt' }],
    ['NotebookEdit', { file_path: 'src/a', notebook_path: 'notes.txt' }],
    ['mcp__files__read', { uri: 'file:link/secret-key' }],
    ['mcp__shell__run', { command: 'cat notes.txt | base64' }],
    ['ReadMcpResourceTool', { server: 'files', uri: 'notes.txt' }],
    bash('cat missing/../notes.txt'),
    bash(`cat /proc/net/../root${key}`),
    bash(`cat /proc/thread-self/../../root${key}`),
    bash(`cat door/../root${key}`),
    bash('cat /proc/1/environ'),
    bash('cat /proc/1/task/1/environ'),
  ];
  const asked: [string, Json][] = [
    ['Grep', { pattern: 'x', path: '/' }],
    ['Read', { file_path: '/proc/1/fd/28' }],
    ['Read', { file_path: `/proc/1/cwd${key}` }],
    bash(`cat /proc/1/cwd${key}`),
    bash('cat /proc/1/cwd/../../secret-key'),
    bash('cat server/../../secret-key'),
    bash('grep -rasz --include=environ TOKEN= /proc'),
    bash('grep -r . /proc/1'),
    bash('cp -r / x'),
    bash('tar c ..'),
    bash('grep -r x ..'),
    bash('cat $D/secret-key'),
    bash('cd ~ && cat .baton/host-id'),
    bash('cat ~someone/.baton/host-id'),
    bash(`python3 -c "print(open('notes.txt').read())"`),
    bash(`awk 'BEGIN{getline l<"link/admin-token";print l}'`),
    bash(`cat ${Array.from({ length: 3000 }, (_, i) => `w${i}`).join(' ')}`),
  ];
  const free: [string, Json][] = [
    ['Read', { file_path: 'src/a' }],
    ['Read', { file_path: join(data, 'workspaces/other/a') }],
    ['Grep', { pattern: 'x' }],
    ['mcp__files__read', { path: 'src/a' }],
    bash('ls / | head; cd src && make; find / -name x 2>/dev/null'),
    ['Read', { file_path: join(data, 'workspaces/other/../other/a') }],
    ['mcp__files__read', { uri: 'file:src/a', text: 'It says "much"; and more.' }],
    bash('cat src/a; grep -r x src'),
    bash(`cd ${join(data, 'workspaces/other')} && git status | head; npm test`),
    bash('cat /proc/cpuinfo /proc/self/status /proc/net/tcp'),
    bash(`cat <<EOF > x\n${'some text, a/b and more\n'.repeat(2000)}EOF`),
  ];
  const all = { allow: ['*'] };
  for (const channel of Channel.options) {
    for (const [calls, decision] of [
      [denied, 'deny'],
      [asked, 'ask'],
      [free, 'allow'],
    ] as const) {
      for (const [tool, input] of calls) {
        const seen = [channel, tool, input, await decide(tool, input, channel, all)];
        expect(seen).toEqual([channel, tool, input, decision]);
      }
    }
  }
});

test('[P7] git commands for a whole repository are asked if it contains Baton’s own files', async () => {
  const home = realpathSync(temporaryDirectory());
  const [config, login] = [join(home, '.config'), join(home, '.config/baton')];
  const [nvim, tool, broken] = ['nvim', 'tool', 'broken'].map((name) => join(config, name));
  for (const folder of [login, `${nvim}/lua`, tool!, `${broken}/.git`, join(home, 'work')])
    mkdirSync(folder, { recursive: true });
  for (const top of [config, tool!]) {
    mkdirSync(join(top, '.git'));
    writeFileSync(join(top, '.git/HEAD'), 'ref: refs/heads/main\n');
  }
  writeFileSync(join(home, 'work/.git'), 'gitdir: /elsewhere\n');
  symlinkSync(`${nvim}/lua`, join(home, 'work/link'));
  const own = new OwnFiles({ paths: [login], except: [] });
  const rules = { session: { ...NONE, allow: ['*'] }, channels: {}, global: null };
  const on = async (cwd: string, command: string, ceilings = ''): Promise<string> => {
    const environment = { PATH: '/bin', HOME: home, GIT_CEILING_DIRECTORIES: ceilings };
    const runtime = testRuntime(cwd, { environment });
    const call = { tool: 'Bash', input: { command } };
    const sent = { sent: { channel: 'cli' } } as const;
    return (await judgeCall(call, runtime, sent, rules as never, own)).decision;
  };
  for (const cwd of [nvim!, `${nvim}/lua`, broken!, config])
    for (const command of ['git add -A', 'git stash -u', 'git add -A && git commit -m x'])
      expect([cwd, command, await on(cwd, command)]).toEqual([cwd, command, 'ask']);
  const work = join(home, 'work');
  const there = [
    'git -C ../.config/nvim add -A',
    `git -C ${nvim} stash -u`,
    `cd ${nvim}/lua && git add -A`,
    'cd link; git stash -u',
    `cat ${Array.from({ length: 1100 }, (_, i) => `w${i}`).join(' ')}; git -C ../.config stash`,
  ];
  for (const command of there) expect([command, await on(work, command)]).toEqual([command, 'ask']);
  expect(await on(work, 'git add -A')).toBe('allow');
  expect(await on(tool!, 'git stash -u')).toBe('allow');
  expect(await on(nvim!, 'git add init.lua')).toBe('allow');
  // Git does not look for a repository there, unless it is where git starts.
  expect(await on(nvim!, 'git add -A', `/x:${config}:${home}`)).toBe('allow');
  expect(await on(config, 'git add -A', `/x:${config}:${home}`)).toBe('ask');
});

test('[P1] a denied file stays denied behind a link in the repository', async () => {
  const { decide } = machine();
  const session = { allow: ['*'], deny: ['Read(.env)'] };
  for (const channel of ['web', 'line', 'cli'] as const) {
    expect(await decide('Bash', { command: 'cat settings' }, channel, session)).toBe('deny');
    expect(await decide('Bash', { command: 'cat src/../settings' }, channel, session)).toBe('deny');
    expect(await decide('Bash', { command: 'grep -r x src' }, channel, session)).toBe('ask');
    expect(await decide('Bash', { command: 'cat src/a' }, channel, session)).toBe('allow');
  }
});

test('[P7] a shell message that names them is refused when sent, and the policy test says so', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('shell');
  const command = `cat ${rig.dataDir}/baton.db`;
  await expect(rig.send(id, command)).rejects.toMatchObject({ code: 'policy_denied' });
  expect(await rig.finished(await rig.send(id, 'true'))).toMatchObject({ state: 'succeeded' });
  const tested = { tool: 'Bash', input: { command }, channel: 'cli', sessionId: id } as const;
  expect(await rig.services.rules.test(ADMIN, tested)).toMatchObject({
    decision: 'deny',
    scope: 'default',
    reason: expect.stringContaining('Baton'),
  });
});

test('[P2] [P7] a link is followed by its name as written and in composed characters', async () => {
  const { work, data, outside, decide } = machine();
  const [written, composed] = ['ke\u0301y', 'k\u00e9y'];
  for (const [link, other] of [
    [written, composed],
    [composed, written],
  ] as const) {
    const place = join(work, link === written ? 'one' : 'two');
    mkdirSync(place);
    symlinkSync(data, join(place, link));
    mkdirSync(join(place, `${link}2`));
    symlinkSync(outside, join(place, `${link}3`));
    symlinkSync(join(work, '.git'), join(place, `${link}4`));
    for (const name of link === written ? [written] : [written, composed]) {
      const at = (path: string) => join(place, path);
      const own = at(`${name}/secret-key`);
      for (const tool of ['Read', 'Write', 'Edit'])
        expect([tool, await decide(tool, { file_path: own }, 'cli')]).toEqual([tool, 'deny']);
      expect(await decide('NotebookEdit', { notebook_path: own }, 'cli')).toBe('deny');
      expect(await decide('mcp__x__y', { anything: own }, 'cli')).toBe('deny');
      expect(await decide('Grep', { pattern: 'x', path: at(name) }, 'web')).not.toBe('allow');
      expect(await decide('Glob', { pattern: `${at(name)}/*` }, 'web')).not.toBe('allow');
      expect(await decide('Write', { file_path: at(`${name}3/x`) }, 'web')).toBe('ask');
      expect(await decide('Write', { file_path: at(`${name}4/hooks/x`) }, 'web')).toBe('ask');
    }
    expect(await decide('Write', { file_path: join(place, `${other}x`) }, 'web')).toBe('allow');
  }
});

test('[P7] an agent is not moved to where its commands are not judged', async () => {
  const { decide } = machine();
  const task = { description: 'x', prompt: 'y', subagent_type: 'general-purpose' };
  for (const channel of Channel.options) {
    expect(await decide('EnterWorktree', { name: 'x' }, channel, { allow: ['*'] })).toBe('deny');
    const script = "return await agent('x', { ['iso' + 'lation']: 'worktree' })";
    for (const tool of ['ListAgents', 'SendMessage'])
      expect(await decide(tool, { to: 'x' }, channel, { allow: ['*'] })).toBe('deny');
    expect(await decide('Workflow', { script }, channel, { allow: ['*'] })).toBe('deny');
    for (const tool of ['Agent', 'Task']) {
      const isolated = { ...task, isolation: 'worktree' };
      expect(await decide(tool, isolated, channel, { allow: ['*'] })).toBe('deny');
      expect(await decide(tool, task, channel, { allow: ['*'] })).toBe('allow');
    }
  }
});

/** So long that a decision in quadratic time would take minutes. */
const HOSTILE: Readonly<Record<string, [tool: string, input: Json]>> = {
  'a deep path below a process': ['Read', { file_path: `/proc/1/${'a/'.repeat(400_000)}` }],
  'a search there': ['Glob', { pattern: `/proc/1/${'a/'.repeat(400_000)}*` }],
  'such a path of an unknown tool': ['mcp__x__y', { p: `/proc/1/${'a/'.repeat(400_000)}` }],
  'many of them': [
    'mcp__x__y',
    { ps: Array.from({ length: 200 }, (_, i) => `/proc/1/${i}${'a/'.repeat(2000)}`) },
  ],
  tildes: ['Bash', { command: `echo x${'~'.repeat(120_000)}` }],
  'classes without an end': ['Read', { file_path: `/proc/1/${'['.repeat(800_000)}` }],
  'combining marks': ['Read', { file_path: '\u0301'.repeat(400_000) + '\u0316'.repeat(400_000) }],
  'open groups': ['Bash', { command: `cat ${'@('.repeat(400_000)}` }],
};

test.each(Object.entries(HOSTILE))('[P1] %s is decided in linear time', async (name, call) => {
  const { decide } = machine();
  expect(await decide(...call, 'web')).toMatch(name === 'tildes' ? 'allow' : /^(?:ask|deny)$/);
});

test('[P1] a command that is too long for any shell is denied without being read', async () => {
  const { decide } = machine();
  expect(await decide('Bash', { command: `echo ${'a'.repeat(128 * 1024)}` }, 'cli')).toBe('deny');
});

test('[P1] the words of a long command are compared with the sets once, not for every rule', async () => {
  const { decide } = machine();
  const rules = {
    ask: Array.from({ length: 200 }, (_, i) => `Read(./d${i}/**)`),
    deny: Array.from({ length: 200 }, (_, i) => `Edit(./e${i}/**)`),
  };
  // Compared for each rule, they would take a minute.
  const command = `grep ${'-e '.repeat(40_000)}`;
  expect(await decide('Bash', { command }, 'web', rules)).toBe('allow');
});

test('[P1] a call with many names under many rules with wildcards is decided within bounded steps', async () => {
  const { decide } = machine();
  const deny = Array.from({ length: 200 }, (_, i) => `Read(./*${'a'.repeat(450)}b${i}/**)`);
  const ask = Array.from({ length: 200 }, (_, i) => `Bash(*a*b*c*d${i}*)`);
  // Compared in full, they would take more than a minute.
  const names = Array.from({ length: 8 }, (_, i) => `${'a'.repeat(3900)}${i}`).join(' ');
  expect(await decide('Bash', { command: `cat ${names}` }, 'cli', { deny })).toBe('ask');
  const command = `echo ${'ab'.repeat(60_000)}`;
  expect(await decide('Bash', { command }, 'cli', { ask })).toBe('ask');
});

test('[P1] a command of many parts is compared with the options of many rules within bounded steps', async () => {
  const { decide } = machine();
  const long = Array.from({ length: 100 }, (_, i) => `Bash(rm --${'a'.repeat(480)}${i})`);
  const many = Array.from({ length: 100 }, (_, i) => `Bash(rm ${'--b '.repeat(120)}-${i})`);
  // Compared in full, they would take minutes.
  const command = 'rm -a --b;'.repeat(13_000);
  for (const ask of [long, many]) {
    expect(await decide('Bash', { command }, 'cli', { ask })).toBe('ask');
  }
});

test('[P1] [H9] links that stand for thousands of names are not followed for every name', async () => {
  const { work, decide } = machine();
  mkdirSync(join(work, 'end'));
  symlinkSync(`${'src/../'.repeat(580)}end`, join(work, 'many'));
  symlinkSync(`${'many/../'.repeat(38)}many`, join(work, 'more'));
  const names = Array.from({ length: 1000 }, (_, i) => `more/${i}`).join(' ');
  // Followed in full, they would take more than a minute.
  expect(await decide('Bash', { command: `cat ${names}` }, 'line')).toBe('ask');
  expect(await decide('Read', { file_path: 'many/x' }, 'web')).toBe('allow');
});

test('[P1] [H9] long pieces and hosts cost as much as comparing them takes', async () => {
  const { decide } = machine();
  const deny = Array.from({ length: 200 }, (_, i) => `Bash(*a${i}${'a'.repeat(470)}*)`);
  const text = Array.from({ length: 200 }, (_, i) => `Bash(a$a${i}${'a'.repeat(459)})`);
  const command = 'a'.repeat(128_000);
  // Compared in full, each list would take seconds.
  expect(await decide('Bash', { command }, 'cli', { deny })).toBe('ask');
  expect(await decide('Bash', { command: `${command};` }, 'cli', { deny: text })).toBe('ask');
  const words = [...'bcdefghijklmnopqrstuvwxyzABCD'].join(' ');
  const ask = Array.from({ length: 200 }, (_, i) => `Bash(a -z${i} ${words})`);
  const long = `${'b c '.repeat(30_000)};true a ${words}`;
  expect(await decide('Bash', { command: long }, 'cli', { ask })).toBe('ask');
  const host = Array.from({ length: 5400 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
  const hosts = Array.from({ length: 200 }, (_, i) => `WebFetch(domain:${i}.example)`);
  const url = `https://${host}/`;
  expect(await decide('WebFetch', { url }, 'cli', { deny: hosts })).toBe('ask');
});

test('[P2] a name that is too long for the system counts by what it comes to', async () => {
  const { decide } = machine();
  const detour = './'.repeat(2100);
  expect(await decide('Bash', { command: `mkdir -p away/${detour}new` }, 'web')).toBe('ask');
  expect(await decide('Bash', { command: `mkdir -p src/${detour}new` }, 'web')).toBe('allow');
  const deep = `${'d'.repeat(200)}/`.repeat(25);
  expect(await decide('Bash', { command: `mkdir -p away/${deep}` }, 'web')).toBe('ask');
  expect(await decide('Bash', { command: `mkdir -p link/${deep}` }, 'web')).toBe('deny');
  const key = `../${'work/../'.repeat(600)}.baton/secret-key`;
  expect(await decide('Bash', { command: `node x.js ${key}` }, 'cli')).toBe('deny');
});
