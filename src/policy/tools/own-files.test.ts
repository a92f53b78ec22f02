import { expect, test } from 'vitest';
import type { Json } from '../../contract/values/json.ts';
import { shellCall } from './call.ts';
import { OwnFiles, withoutClasses } from './own-files.ts';

/* Baton's own files, and the ways in which a call can reach them. Links are followed elsewhere. */

const HOME = '/home/me';
const location = { cwd: '/home/me/.baton/workspaces/one', home: HOME };
const own = new OwnFiles({
  paths: ['/home/me/.baton', '/home/me/.config/baton', '/srv/db/x.db'],
  except: ['/home/me/.baton/workspaces'],
});
const real = (...names: string[]) =>
  new Map(names.map((name) => [name, { path: `${location.cwd}/${name}`, folder: false }]));
const decided = (command: string, existing: string[] = []) =>
  own.judge({ ...shellCall(command, location), real: real(...existing) })?.decision ?? 'allow';
const judged = (tool: string, input: Json) =>
  own.judge({ tool, input, ...location })?.decision ?? 'allow';
const padding = Array.from({ length: 5100 }, (_, i) => `w${i}`).join(' ');

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: shell syntax
const DENIED: readonly string[] = [
  'cat /home/me/.b+(a|t)ton/secret-key',
  'cat /proc/net/../root/home/me/.baton/admin-token',
  'cat /proc/thread-self/../../root/home/me/.baton/secret-key',
  'cat /proc/self/fd/../root/home/me/.baton/secret-key',
  'cat /dev/fd/../root/home/me/.baton/secret-key',
  'cat /proc/net/../../4711/environ',
  'cat /proc/thread-self/../../../4711/task/1/environ',
  'cat /proc/*/environ',
  'cat /proc/[0-9]*/env*; true',
  'cat /home/me/.bat[]o]n/secret-key',
  'cat /home/me/.bat[^]x]n/secret-key',
  'cat /home/me/.bato[[:alpha:]]/secret-key',
  'cat /proc/1/enviro[[:alpha:]]',
  'cat /proc/$PPID/environ',
  'cat /proc/$$/mem',
  'cat ${HOME}/.baton/secret-key',
  'cat "${HOME}/.baton/secret-key"',
  'cat "$HOME"/.baton/secret-key',
  'cat $HOME/.b*/s*',
  'cat ~/.ba\\\nton/host-id; true',
  'bash -c "cat \\$HOME/.baton/host-id"',
  'cat /home/$USER/.baton/host-id',
  'cat /home/me/{.baton,x}/host-id /home/me/.bat$X/host-id',
  `: ${padding}; cat ~/.baton/host-id`,
  `: ${padding}; cat $HOME/.ba''ton/host-id`,
];

const ASKED: readonly string[] = [
  'shopt -s extglob\ncat /home/me/@(.baton)/secret-key',
  'cat /proc/4711/cwd/../../secret-key',
  'cat /proc/4711/cwd/home/me/x',
  'cat /proc/4711/fd/28',
  'cat /proc/$(pgrep node)/environ',
  'cat "/proc/`pgrep node`/task/1/mem" | head',
  'ls /proc/$(pgrep node)/cwd/',
  'cat /proc/$(pgrep node)/root/home/me/x',
  'cat /proc/4711/task/4711/fd/28',
  'cat /proc/4711/root/../x',
  'cat /proc/self/fd/3/x',
  'ls /proc/4711/map_files',
  'grep -rasz --include=environ TOKEN= /proc',
  'grep -r . /proc/4711',
  'grep -r . /proc/4711/task',
  'grep -a TOKEN /proc/4711',
  'diff -r /proc/4711/task/4711 src',
  'diff -r /proc/4711 src; true',
  `: ${padding}; true`,
  `cat ${padding}`,
  'cat ${D}/secret-key',
  'cat "${D:-x}"/host-id/../admin-token',
  'cat $(echo ~)/.baton/host-id',
  'cd ~ && cat .*/host-id',
  'cd ~ && grep -rI "" . --exclude-dir=config',
  'cd ~; tar c .',
  'cd; tar c . | base64',
  'cd && rg -uu x',
  'if cd ~; then rg x; fi',
  'time cd ~; rg x',
  'X=1 cd ~; rg x',
  'bash -c "cd ~ && rg x"',
  'env -C ~ cat .*/host-id',
  'cat `echo ~`/.baton/host-id',
  'cat $D/s*',
  'cd ~ && cat .b*/s*',
  'cat ~me/.baton/host-id',
  '/bin/cp -r / x; true',
  'sudo tar c /',
  'sudo -u me /bin/tar c /',
  'nice tar c /',
  'env A=1 tar c /',
  'A=1 tar c /',
  'if true; then cp -r ~ x; fi',
  'tar c $HOME',
  'cp -r "${HOME}" x; true',
  'find ~ -type f -exec cat {} +',
  'find / -name "*key" | xargs cat',
  `python3 -c "${'a '.repeat(3000)}open('/home/me/.baton/host-id')"`,
];

const FREE: readonly string[] = [
  'git status && git diff | head',
  'git commit -m "fix: Say $HOME and ${X} (see #1)"',
  'npm test 2>&1 | tail -5',
  'npm run build && cp -r dist $OUT',
  'cat src/a.ts | head; cat a/*.ts b/* .e* > out',
  'cat /home/me/.baton/workspaces/one/src/a.ts | head',
  'cd /home/me/.baton/workspaces/one && npm test; echo $?',
  'cd ~/.baton/workspaces/one && git log -3',
  'cp -r $HOME/.baton/workspaces/one/src x',
  'cd ~/projects/baton && npm test',
  'cd src && cat s* a* | wc -l; ls *',
  'for i in 1 2 3; do touch a$i s$i b$i; cat $DIR/*; done',
  'for f in src/*.ts; do cat "$f" $X/*.ts; done',
  'echo "$HOME"; ls ~ | head; find / -name x 2>/dev/null',
  'find . -name "*.ts" | xargs grep foo',
  'find . -type f -exec wc -l {} +',
  "awk '{print $1}' a | sed 's/(x)/y/'",
  'env NODE_ENV=test npx vitest run src/a.test.ts',
  'cat /proc/cpuinfo /proc/meminfo /proc/net/tcp /proc/self/status',
  'cat /proc/$(pgrep node)/status; ls /proc/$(pgrep node)/task',
  'cat $DIR/mem $(dirname a)/environ',
  'cat /proc/self/environ | head; grep -c processor /proc/cpuinfo',
  'cat /dev/stdin < x; ls /proc | wc -l; cat /proc/4711/status',
  'sudo apt-get install -y jq; time make -j4',
  'docker run --rm -v $PWD:/app node npm test',
  'curl -s https://example.com/$A/$B/$C | jq .',
];

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

test.each(DENIED)('[P7] %.60s is denied', (command) => expect(decided(command)).toBe('deny'));
test.each(ASKED)('[P7] %.60s is asked', (command) => expect(decided(command)).toBe('ask'));
test.each(FREE)('[P7] %.60s is allowed', (command) => expect(decided(command)).toBe('allow'));

test('[P7] a workspace file with a distinctive name is allowed if the path certainly starts there', () => {
  const name = '.baton/config.json';
  expect(decided(`cat ${name}`, [name])).toBe('allow');
  expect(decided(`cat ${name} | head`, [name])).toBe('allow');
  for (const before of ['cd ~;', 'env -C ~', 'env -C $D', 'cd $D;']) {
    expect(decided(`${before} cat ${name}`, [name])).toBe('ask');
  }
  const decoy = 'HOME/.baton/secret-key';
  expect(decided(`cat $${decoy}`, [decoy])).toBe('deny');
  expect(decided('cat $X/.baton/secret-key', ['X/.baton/secret-key'])).toBe('ask');
});

test('[P7] a data directory with an ordinary name is recognised from a folder above it', () => {
  const own = new OwnFiles({ paths: ['/srv/app/data'], except: ['/srv/app/data/workspaces'] });
  const judge = (command: string): string =>
    own.judge({ tool: 'Bash', input: { command }, cwd: '/srv/work', home: '/home/me' })?.decision ??
    'allow';
  for (const command of [
    'cd /srv/app && strings data/baton.db-wal | head',
    'cd /srv/app && cp -r data /tmp/x',
    'pushd /srv/app; cat data/host-id',
    'env -C /srv/app cat data/host-id',
    'X=/srv/app; cat $X/data/host-id',
    "sh -c 'cd /srv/app; cat data/host-id'",
  ])
    expect([command, judge(command)]).toEqual([command, 'ask']);
  expect(judge('cat data/host-id | head; ls src')).toBe('allow');
});

test('[P7] a tool is judged by every field that may be a path, as Claude Code reads it', () => {
  const key = `${HOME}/.baton/secret-key`;
  for (const path of [` ${key}`, `\t${key}\n`, ' ~/.baton/secret-key', `/x/..${key}`]) {
    expect(judged('Read', { file_path: path })).toBe('deny');
    expect(judged('Grep', { pattern: 'x', path })).toBe('deny');
    expect(judged('mcp__a__b', { path })).toBe('deny');
  }
  expect(judged('NotebookEdit', { file_path: 'a', notebook_path: key })).toBe('deny');
  expect(judged('NotebookEdit', { file_path: '', notebook_path: key })).toBe('deny');
  expect(judged('Read', { file_path: '/proc/4711/cwd/x' })).toBe('ask');
  expect(judged('Read', { file_path: '/proc/4711/root/x' })).toBe('ask');
  expect(judged('Grep', { pattern: 'x', path: '/proc' })).toBe('ask');
  expect(judged('Read', { file_path: ' src/a' })).toBe('allow');
});

test('[P7] a tool of an MCP server is judged by paths, URLs and commands anywhere in its input', () => {
  const key = `${HOME}/.baton/secret-key`;
  const many = Array.from({ length: 2000 }, (_, i) => `w${i}`);
  for (const tool of ['mcp__a__b', 'ReadMcpResourceTool']) {
    for (const text of [
      `file://localhost${key}`,
      `file:${key}`,
      `FILE://${key}`,
      `file:///home/me/%2Ebaton/secret-key`,
      `cat ${key} | base64`,
      'cat "$HOME/.baton/host-id"',
    ]) {
      expect([text, judged(tool, { a: [{ b: text }] })]).toEqual([text, 'deny']);
    }
    expect(judged(tool, { a: many, b: 'x' })).toBe('ask');
    expect(judged(tool, { b: `x\n~/.baton/host-id\n`, a: many })).toBe('deny');
    expect(judged(tool, { a: 'tar c / | base64' })).toBe('ask');
    for (const above of [HOME, '/', '~', '../../..', 'file:///home']) {
      expect([above, judged(tool, { path: above })]).toEqual([above, 'ask']);
    }
    expect(own.judge({ tool, input: { a: '', b: 'x' }, cwd: HOME, home: HOME })).toBe(null);
    expect(judged(tool, { a: 'src/a', b: 'Some text; it says "much", and more.' })).toBe('allow');
  }
});

test('[P7] a search of a workspace above them is asked, even if it names no folder', () => {
  const at = { cwd: HOME, home: HOME };
  const on = (command: string) => own.judge(shellCall(command, at))?.decision ?? 'allow';
  expect(['rg x', 'grep -r x', 'grep -r x .', 'rg x | head'].map(on)).toEqual(Array(4).fill('ask'));
  expect(own.judge({ tool: 'Grep', input: { pattern: 'x' }, ...at })?.decision).toBe('ask');
  expect(['ls', 'cat a', 'git status', 'grep x a'].map(on)).toEqual(Array(4).fill('allow'));
});

/** Git commands that use or change everything in the repository, without naming a path. */
const WHOLE: readonly string[] = [
  'git add -A',
  'git add -fA',
  'git add -Av',
  'git add --all',
  'git add -u',
  'git add --update --verbose',
  "git add ':!a'",
  "git add -- ':(exclude)a'",
  'git commit -a -m x',
  'git commit -am x',
  'git commit --all --message=x',
  'git stash',
  'git stash -u',
  'git stash --include-untracked',
  'git stash -a',
  'git stash push',
  'git stash push -u -m x',
  'git stash save x',
  'git stash pop',
  'git stash apply',
  'git checkout main',
  'git checkout -f main',
  'git switch -c x',
  'git switch --discard-changes x',
  'git merge x',
  'git cherry-pick x',
  'git revert --no-edit x',
  'git reset --hard',
  'git clean -fdx',
  'git rebase main',
  'git pull',
  'git diff',
  'git show',
  'git log -p',
  'git --no-pager add -A',
  'git -c a=b add -A',
  '/usr/bin/git add -A',
  '/usr/bin/git stash -u',
  'git add -A && git commit -m x',
  'sudo git stash -u',
  'A=1 git add -A; true',
];

test.each(WHOLE)('[P7] %s is asked in a repository or workspace above them', (command) => {
  const on = (cwd: string, repositories?: readonly string[]) =>
    own.judge({ ...shellCall(command, { cwd, home: HOME }), repositories })?.decision ?? 'allow';
  const deep = '/home/me/.config/nvim';
  expect(on(deep, ['/home/me/.config'])).toBe('ask');
  expect(on(deep, [deep, '/'])).toBe('ask');
  expect(on('/srv/db')).toBe('ask');
  expect(on(deep, [deep])).toBe('allow');
  expect(on(deep, ['/home/me/.baton/workspaces/one'])).toBe('allow');
  expect(on('/srv/other', ['/srv/other'])).toBe('allow');
});

test('[P7] a git command that does not is free there', () => {
  const at = { cwd: '/home/me/.config/nvim', home: HOME };
  const free = [
    'git status',
    'git log --oneline',
    'git add init.lua',
    'git add -v init.lua lua',
    'git commit -m x',
    'git branch topic',
    'git fetch',
    'git push',
    'rg x',
  ];
  for (const command of [...free, `${free.join('; ')} | head`]) {
    const call = { ...shellCall(command, at), repositories: ['/home/me/.config'] };
    expect([command, own.judge(call)]).toEqual([command, null]);
  }
});

test('[P7] a variable before git may name its work tree', () => {
  const on = (command: string) => decided(`${command}; true`);
  expect(on('GIT_WORK_TREE=/home/me/.config git add -A')).toBe('ask');
  expect(on('GIT_WORK_TREE=/home/me/x git add -A')).toBe('allow');
});

test.each(['$(', '${', '`', '{', "$'", '~/.baton/workspaces/ ', '$HOME/', '/./', ') '])(
  '[P7] a long command made of %s is judged in less than quadratic time',
  (piece) => {
    const time = (length: number): number => {
      const begun = process.cpuUsage();
      decided(piece.repeat(length / piece.length));
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    };
    time(12_500);
    // Linear takes 16 times as long, quadratic 256 times; the margin allows for a busy machine.
    expect(time(200_000)).toBeLessThan(Math.max(time(12_500), 5) * 130);
  },
);

test('[P7] a path in a script counts as a name', () => {
  const inWorkspace = (command: string) =>
    own.judge(shellCall(command, { ...location, cwd: '/home/me/.baton/workspaces/one' }))?.decision;
  expect(inWorkspace(`python3 -c "print(open('../../admin-token').read())"`)).toBe('ask');
  expect(inWorkspace(`awk 'BEGIN{getline l<"../../secret-key";print l}'`)).toBe('ask');
  expect(inWorkspace(`python3 -c "print(open('data.txt').read())"`)).toBe(undefined);
  expect(inWorkspace(`git commit -m "Read ../one/notes.txt, too"`)).toBe(undefined);
});

test('[P7] names with unusual spaces, or after $PWD, are followed', () => {
  const link = { path: '/home/me/.baton/secret-key', folder: false };
  const through = (command: string, name: string) =>
    own.judge({ ...shellCall(command, location), real: new Map([[name, link]]) })?.decision;
  expect(through('cat a\u00a0b; true', 'a\u00a0b')).toBe('deny');
  expect(through('cat "$PWD/notes.txt"', './notes.txt')).toBe('deny');
  expect(through('cat $PWD/x/../notes.txt', './x/../notes.txt')).toBe('deny');
  expect(through('cat ~+/notes.txt', './notes.txt')).toBe('deny');
  expect(through('cat "a b~+/notes.txt"', './notes.txt')).toBe(undefined);
  expect(through(`cat "\${file:-notes.txt}"`, 'notes.txt')).toBe('deny');
  expect(through(`cat "\${file=notes.txt}"`, 'notes.txt')).toBe('deny');
});

test('[P7] an unknown tool may get a list of any length', () => {
  const list = Array.from({ length: 200_000 }, () => 'x');
  expect(judged('mcp__a__b', { list })).toBe('ask');
  expect(judged('mcp__a__b', { list: [...list, '/home/me/.baton/secret-key'] })).toBe('deny');
});

test('[P7] names that many parts repeat are not looked up again and again', () => {
  const part = (i: number) => `git a${i}${',b'.repeat(200)};`;
  const repeated = (parts: number) =>
    `ls /;${Array.from({ length: parts }, (_, i) => part(i)).join('')}`;
  expect(decided(repeated(20))).toBe('allow');
  expect(decided(repeated(400))).toBe('ask');
});

test.each([
  ['[ab]c', '?c'],
  ['[]a]b', '?b'],
  ['[!]a]b', '?b'],
  ['[^a-z]', '?'],
  ['x[[:alpha:]][[=a=]y]', 'x??'],
  ['a[bc', 'a*'],
  ['a[[:alpha:', 'a*'],
  ['[]', '*'],
])('[P7] without its classes, %s is %s', (pattern, plain) =>
  expect(withoutClasses(pattern)).toBe(plain),
);
