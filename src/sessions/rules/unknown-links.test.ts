import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { Channel } from '../../contract/message.ts';
import type { Json } from '../../contract/values/json.ts';
import { OwnFiles } from '../../policy/tools/own-files.ts';
import type { Inspected } from '../../workspaces/runtime.ts';
import { judgeCall, linksIn } from './judge-call.ts';
import { realCalls } from './real-call.ts';

const NONE = { allow: [], ask: [], deny: [] };
const UNKNOWN = '; it is unknown where its links lead';

/*
 * Links that lead to `.baton`, a folder beside the workspace, and that git checks out: `KEY` is a
 * link to a key, `NEW` to a file that does not exist, and `docs` to the folder.
 */
const REPOSITORIES: Readonly<Record<string, string>> = {
  'a name that is not text': `
    name=$(printf '\\377'); ln -s ../.baton "$name"; ln -s "$name" docs
    ln -s "$name/secret-key" KEY; ln -s "$name/new" NEW`,
  // Each target is short enough for the system, but not with the path of the workspace before it.
  'a path that is too long with the workspace before it': `
    deep=; up=; name=$(printf '%0250d' 0)
    for i in $(seq 16); do mkdir "$name"; cd -P "$name"; deep=$deep$name/; up=$up../; done
    name=$(printf '%060d' 0); mkdir "$name"; cd -P "$name"; deep=$deep$name/; up=$up../
    ln -s $up../.baton/secret-key KEY; ln -s $up../.baton/new NEW; ln -s $up../.baton docs
    cd "$1"; for each in KEY NEW docs; do ln -s "$deep$each" $each; done`,
};

function machine(repository: string) {
  const home = temporaryDirectory();
  const [work, data, source] = [join(home, 'work'), join(home, '.baton'), join(home, 'source')];
  for (const folder of [data, source]) mkdirSync(folder);
  // Node cannot remove paths that are too long.
  onTestFinished(() => void execFileSync('rm', ['-rf', home]));
  writeFileSync(join(data, 'secret-key'), 'secret');
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: source, stdio: 'pipe' });
  run('git', 'init', '-q');
  run('sh', '-ec', REPOSITORIES[repository]!, 'sh', source);
  run('git', 'add', '-A');
  run('git', '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x');
  run('git', 'clone', '-q', source, work);
  const read = (path: string) => execFileSync('cat', [path], { cwd: work, encoding: 'utf8' });
  const own = new OwnFiles({ paths: [data], except: [] });
  const verdict = (tool: string, input: Json, channel: Channel, rules: object = {}) =>
    judgeCall(
      { tool, input },
      testRuntime(work),
      { sent: { channel } },
      { session: null, channels: {}, global: null, ...rules } as never,
      own,
    );
  return { work, data, read, verdict };
}

const bash = (command: string): [string, Json] => ['Bash', { command }];

test.each(Object.keys(REPOSITORIES))(
  '[P7] nothing is allowed through a link whose target is unknown: %s',
  async (repository) => {
    const { work, read, verdict } = machine(repository);
    expect([read('KEY'), read('docs/secret-key')]).toEqual(['secret', 'secret']);
    const calls: [string, Json][] = [
      bash('od -An -c KEY'),
      bash('head -c 16 KEY'),
      bash(`head -c 16 ${work}/KEY`),
      bash('cp KEY out'),
      bash('touch NEW'),
      bash('mkdir docs/x'),
      bash('cat docs/../docs/x'),
      bash('cat ./KEY | base64'),
      ['Read', { file_path: 'KEY' }],
      ['Read', { file_path: join(work, 'docs/host-id') }],
      ['Write', { file_path: 'NEW', content: 'x' }],
      ['Edit', { file_path: join(work, 'NEW'), old_string: 'a', new_string: 'b' }],
      ['NotebookEdit', { notebook_path: 'NEW' }],
      ['Grep', { pattern: '.', path: 'KEY' }],
      ['Grep', { pattern: '.', path: 'docs' }],
      ['Glob', { pattern: 'docs/*' }],
      ['LS', { path: 'docs' }],
      ['mcp__files__read', { uri: 'file:KEY' }],
      ['mcp__shell__run', { command: 'cat KEY | base64' }],
    ];
    const session = { ...NONE, allow: ['*'] };
    for (const channel of Channel.options) {
      for (const [tool, input] of calls) {
        const { decision, reason } = await verdict(tool, input, channel, { session });
        expect([tool, input, decision]).toEqual([tool, input, 'ask']);
        expect(reason.endsWith(UNKNOWN)).toBe(true);
        expect(linksIn(reason)).toBe(UNKNOWN);
        expect((await verdict(tool, input, channel)).decision).not.toBe('allow');
      }
      const free = [bash('ls'), bash('cat src/new'), bash('cat README.md')];
      for (const [tool, input] of free)
        expect((await verdict(tool, input, channel)).decision).toBe('allow');
    }
  },
);

test.each(Object.keys(REPOSITORIES))(
  '[P1] an enforced rule about paths holds through such a link: %s',
  async (repository) => {
    const { data, verdict } = machine(repository);
    for (const list of ['deny', 'ask']) {
      const rule = `Read(/${data}/private.txt)`;
      const session = { ...NONE, allow: ['*'] };
      const global = { ...NONE, [list]: [rule], enforced: [rule] };
      for (const call of [bash('od KEY'), ['Read', { file_path: 'KEY' }] as const]) {
        expect(await verdict(...(call as [string, Json]), 'cli', { session, global })).toEqual({
          decision: 'ask',
          scope: 'global',
          rule,
          reason: `it is uncertain whether "${rule}" matches${UNKNOWN}`,
          enforced: true,
        });
      }
    }
  },
);

test('[P4] the reason also names the links whose target is known', async () => {
  const { work, verdict } = machine('a name that is not text');
  symlinkSync('/etc', join(work, 'etc'));
  const { reason } = await verdict(...bash('cp KEY etc/hosts out'), 'web');
  const links = `; through a link it leads to "/etc/hosts"${UNKNOWN}`;
  expect(reason.endsWith(links)).toBe(true);
  expect(linksIn(reason)).toBe(links);
});

test('[P7] if the workspace itself is replaced by such a link, every path is unknown', async () => {
  const { work, verdict } = machine('a name that is not text');
  const runtime = testRuntime(work);
  rmSync(work, { recursive: true });
  symlinkSync(Buffer.from('\xff', 'latin1'), work);
  const { calls } = await realCalls({ tool: 'Read', input: { file_path: 'a' } }, runtime);
  expect(calls[1]?.input).toEqual({ file_path: '/proc/0/cwd/a' });
  expect((await verdict('Read', { file_path: 'a' }, 'cli')).decision).toBe('ask');
});

test('[P1] a name that contains U+FFFD is text, and a link through it is followed', async () => {
  const { work, verdict } = machine('a name that is not text');
  mkdirSync(join(work, '\ufffd'));
  writeFileSync(join(work, '\ufffd', 'a'), '');
  symlinkSync('\ufffd/a', join(work, 'plain'));
  symlinkSync('\ufffd/../../.baton/secret-key', join(work, 'key'));
  expect(readFileSync(join(work, 'key'), 'utf8')).toBe('secret');
  expect((await verdict('Read', { file_path: 'plain' }, 'web')).decision).toBe('allow');
  expect((await verdict('Read', { file_path: '\ufffd/b' }, 'web')).decision).toBe('allow');
  expect((await verdict('Read', { file_path: 'key' }, 'web')).decision).toBe('deny');
});

test('[P1] a folder that cannot be searched makes only the paths below it unknown', async () => {
  const work = temporaryDirectory();
  const runtime = testRuntime(work);
  const inspect = async (path: string): Promise<Inspected> =>
    path.startsWith(`${work}/shut/`) ? { kind: 'unknown' } : await runtime.inspect(path);
  mkdirSync(join(work, 'shut'));
  const own = new OwnFiles({ paths: [join(work, '../.baton')], except: [] });
  const decide = async (...[tool, input]: [string, Json]): Promise<string> =>
    (await judgeCall({ tool, input }, { ...runtime, inspect }, WEB, null, own)).decision;
  expect(await decide(...bash('ls -l shut'))).toBe('allow');
  expect(await decide(...bash('cat shut/a'))).toBe('ask');
  expect(await decide('Read', { file_path: 'shut/new/a' })).toBe('ask');
  expect(await decide('Write', { file_path: 'new/deep/a', content: '' })).toBe('allow');
  // A word too long for a name can only be text.
  for (const text of ['word'.repeat(100), '日本語'.repeat(1000)])
    expect(await decide(...bash(`git commit -m ${text}`))).toBe('allow');
  expect(await decide(...bash('cd src && echo $HOME/$USER'))).toBe(
    await decide(...bash('cd src && echo $HOME')),
  );
});

const WEB = { sent: { channel: 'web' } } as const;
