import { describe, expect, test } from 'vitest';
import { ToolRules } from '../../contract/policy.ts';
import type { Json } from '../../contract/values/json.ts';
import { shellCall } from './call.ts';
import { DODGES } from './corpus/dodges.ts';
import { HOSTILE_OPTIONS } from './corpus/hostile-options.ts';
import { decide, type Scopes } from './decide.ts';

const at = { cwd: '/srv/app', home: '/home/me' };
const bash = (command: string) => shellCall(command, at);
const call = (tool: string, input: Json = {}) => ({ ...at, tool, input });
const rules = (some: Partial<ToolRules>): ToolRules => ToolRules.parse(some);
const session = (some: Partial<ToolRules>, channel: Scopes['channel'] = 'web'): Scopes => ({
  channel,
  session: rules(some),
});

describe('[P1] [P2] the corpus of dodges', () => {
  test.each([...DODGES, ...HOSTILE_OPTIONS])('$command', ({ command, web, line }) => {
    expect(decide(bash(command), { channel: 'web' }).decision).toBe(web);
    expect(decide(bash(command), { channel: 'api' }).decision).toBe(web);
    expect(decide(bash(command), { channel: 'line' }).decision).toBe(line);
    expect(decide(bash(command), { channel: 'webhook' }).decision).toBe(line);
    expect(decide(bash(command), { channel: 'cli' }).decision).toBe('allow');
  });

  test('is large enough to be meaningful', () => {
    expect(DODGES.length).toBeGreaterThan(130);
    expect(HOSTILE_OPTIONS.length).toBeGreaterThan(200);
  });
});

describe('[P2] channel defaults of other tools', () => {
  test.each([
    ['Read', { file_path: 'a' }, 'allow', 'allow'],
    ['Read', { file_path: '/srv/app/src/a' }, 'allow', 'allow'],
    ['Read', { file_path: '/etc/passwd' }, 'ask', 'allow'],
    ['Read', { file_path: '~/.ssh/id_rsa' }, 'ask', 'allow'],
    ['Read', { file_path: '../other/a' }, 'ask', 'allow'],
    ['Read', { file_path: '.git/config' }, 'ask', 'allow'],
    ['Grep', { pattern: 'x' }, 'allow', 'allow'],
    ['Grep', { pattern: 'x', path: 'src' }, 'allow', 'allow'],
    ['Grep', { pattern: 'x', path: '/' }, 'ask', 'allow'],
    ['Grep', { pattern: 'x', path: '.git' }, 'ask', 'allow'],
    ['Grep', { pattern: 'x', path: 'sub/.git/hooks' }, 'ask', 'allow'],
    ['Glob', { pattern: '**/*.ts' }, 'allow', 'allow'],
    ['Glob', { pattern: '/etc/*' }, 'ask', 'allow'],
    ['Glob', { pattern: '.git/**' }, 'ask', 'allow'],
    ['Write', { file_path: '/home/me/.bashrc' }, 'ask', 'deny'],
    ['Write', { file_path: '~/.claude/settings.json' }, 'ask', 'deny'],
    ['Write', { file_path: '/srv/app/../other' }, 'ask', 'deny'],
    ['Write', { file_path: '/srv/application' }, 'ask', 'deny'],
    ['Write', { file_path: '.git/hooks/pre-commit' }, 'ask', 'deny'],
    ['Write', { file_path: '.git' }, 'ask', 'deny'],
    ['Write', { file_path: 'sub/.GIT/config' }, 'ask', 'deny'],
    ['Write', { file_path: 'sub/.g\u200cit/config' }, 'ask', 'deny'],
    ['Write', { file_path: '.gitignore' }, 'allow', 'deny'],
    ['Write', { file_path: '.github/workflows/a.yml' }, 'allow', 'deny'],
    ['Write', {}, 'ask', 'deny'],
    ['Edit', { file_path: '/etc/hosts' }, 'ask', 'deny'],
    ['Edit', { file_path: '.git/config' }, 'ask', 'deny'],
    ['MultiEdit', { file_path: '.git/config' }, 'ask', 'deny'],
    ['NotebookEdit', { notebook_path: '/elsewhere/a.ipynb' }, 'ask', 'deny'],
    ['NotebookEdit', { notebook_path: '.git/a.ipynb' }, 'ask', 'deny'],
    ['Write', { file_path: 'a' }, 'allow', 'deny'],
    ['Edit', { file_path: 'a' }, 'allow', 'deny'],
    ['NotebookEdit', { notebook_path: 'a' }, 'allow', 'deny'],
    ['WebFetch', { url: 'https://example.com' }, 'ask', 'ask'],
    ['mcp__db__drop', {}, 'ask', 'ask'],
    ['NeverHeardOf', {}, 'ask', 'ask'],
    ['constructor', {}, 'ask', 'ask'],
    ['Bash', null, 'ask', 'ask'],
    ['Bash', { command: 7 }, 'ask', 'ask'],
  ] as const)('%s %j', (tool, input, web, line) => {
    expect(decide(call(tool, input), { channel: 'web' }).decision).toBe(web);
    expect(decide(call(tool, input), { channel: 'line' }).decision).toBe(line);
    expect(decide(call(tool, input), { channel: 'cli' }).decision).toBe('allow');
  });
});

describe('[P1] enforced rules', () => {
  const enforced = (some: Partial<ToolRules>) => ({
    ...rules(some),
    enforced: [...(some.ask ?? []), ...(some.deny ?? [])],
  });
  const all = rules({ allow: ['*'] });
  const push = bash('git push');

  test('an enforced deny cannot be overridden by session or channel', () => {
    const deny = enforced({ deny: ['Bash(git push)'] });
    const expected = { decision: 'deny', rule: 'Bash(git push)', enforced: true };
    for (const channel of ['web', 'cli'] as const) {
      expect(decide(push, { channel, session: all, global: deny })).toMatchObject(expected);
      expect(decide(push, { channel, channelRules: all, global: deny })).toMatchObject(expected);
      expect(decide(push, { channel, session: all, channelRules: deny })).toMatchObject(expected);
    }
    const free = decide(bash('git status'), { channel: 'cli', session: all, global: deny });
    expect(free).toMatchObject({ decision: 'allow' });
    expect(free.enforced).toBeUndefined();
  });

  test('an enforced ask overrides an allow, but not a deny', () => {
    const ask = enforced({ ask: ['Bash(git push)'] });
    expect(decide(push, { channel: 'cli', session: all, global: ask })).toMatchObject({
      decision: 'ask',
      scope: 'global',
      enforced: true,
    });
    const denied = decide(push, { ...session({ deny: ['Bash'] }), global: ask });
    expect(denied).toMatchObject({ decision: 'deny', scope: 'session' });
  });

  test('rules that are not enforced can be overridden', () => {
    const some = { ...rules({ deny: ['Bash(git push)', 'Write'] }), enforced: ['Write'] };
    const scopes = { channel: 'cli', session: all, global: some } as const;
    expect(decide(push, scopes).decision).toBe('allow');
    expect(decide(call('Write', { file_path: 'a' }), scopes).decision).toBe('deny');
  });

  test('an uncertain match of an enforced rule is asked, and the session cannot override that', () => {
    const deny = enforced({ deny: ['Bash(git push)'] });
    const verdict = decide(bash('$x push'), { channel: 'cli', session: all, global: deny });
    expect(verdict).toMatchObject({ decision: 'ask', enforced: true });
  });

  test('of a channel on which the credential was created, only the enforced rules apply', () => {
    const web = { ...enforced({ deny: ['Bash(git push)'] }), ask: ['Read'] };
    const through = [{ channel: 'web' as const, rules: web }];
    expect(decide(push, { channel: 'cli', session: all, through })).toMatchObject({
      decision: 'deny',
      scope: 'channel',
      reason: expect.stringContaining('channel web, on which'),
    });
    expect(decide(call('Read', { file_path: 'a' }), { channel: 'cli', through }).decision).toBe(
      'allow',
    );
  });
});

describe('[P1] the order of scopes', () => {
  test('the session decides before the channel, the channel before the server', () => {
    const push = bash('git push');
    const global = rules({ deny: ['Bash(git push)'] });
    const channelRules = rules({ ask: ['Bash(git push)'] });
    expect(decide(push, { channel: 'cli', global })).toEqual({
      decision: 'deny',
      scope: 'global',
      rule: 'Bash(git push)',
      reason: '"Bash(git push)" is denied by the rules of the whole server',
    });
    expect(decide(push, { channel: 'cli', global, channelRules })).toMatchObject({
      decision: 'ask',
      scope: 'channel',
    });
    expect(
      decide(push, {
        channel: 'cli',
        global,
        channelRules,
        session: rules({ allow: ['Bash(git push)'] }),
      }),
    ).toMatchObject({ decision: 'allow', scope: 'session' });
  });

  test('rules of a channel replace its defaults', () => {
    const write = call('Write', { file_path: 'a' });
    expect(decide(write, { channel: 'line' }).scope).toBe('channel');
    expect(decide(write, { channel: 'line', channelRules: rules({}) })).toMatchObject({
      decision: 'ask',
      scope: 'default',
      rule: null,
      reason: 'no rule covers it, and unlisted calls require approval on line',
    });
  });

  test('within a scope, deny overrides ask, and ask overrides allow', () => {
    const three = { allow: ['Read'], ask: ['Read'], deny: ['Read'] };
    const read = call('Read', { file_path: 'a' });
    expect(decide(read, session(three)).decision).toBe('deny');
    expect(decide(read, session({ ...three, deny: [] })).decision).toBe('ask');
    expect(decide(read, session({ ...three, deny: [], ask: [] })).decision).toBe('allow');
  });

  test('an uncertain match in one scope does not hide a deny in the next', () => {
    const scopes = {
      ...session({ deny: ['Bash(git push)'] }, 'cli'),
      global: rules({ deny: ['Bash(rm -rf)'] }),
    };
    expect(decide(bash('cd x; rm -rf y'), scopes)).toMatchObject({
      decision: 'deny',
      scope: 'global',
    });
    expect(decide(bash('cd x; ls'), scopes)).toMatchObject({
      decision: 'ask',
      scope: 'session',
      reason: 'the command contains a ";": it is uncertain whether "Bash(git push)" matches',
    });
  });

  test('a malformed rule allows nothing, and as a deny rule it asks', () => {
    expect(decide(bash('ls'), session({}, 'line')).decision).toBe('allow');
    const broken = { allow: ['Bash('], ask: [], deny: [] };
    expect(decide(bash('x'), { channel: 'web', session: broken }).decision).toBe('ask');
    const denying = { allow: [], ask: [], deny: ['Bash('] };
    expect(decide(bash('ls'), { channel: 'cli', session: denying }).decision).toBe('ask');
  });
});

describe('[P2] a message narrows the rules', () => {
  test('its allowedTools limit the tools, and the other rules still apply', () => {
    const scopes: Scopes = { channel: 'web', allowedTools: ['Read', 'Bash(git:*)', 'WebFetch'] };
    expect(decide(call('Read', { file_path: 'a' }), scopes).decision).toBe('allow');
    expect(decide(bash('git status'), scopes).decision).toBe('allow');
    expect(decide(bash('git push'), scopes).decision).toBe('ask');
    expect(decide(call('WebFetch', { url: 'https://a.example' }), scopes).decision).toBe('ask');
    expect(decide(call('Write', { file_path: 'a' }), scopes)).toEqual({
      decision: 'deny',
      scope: 'message',
      rule: null,
      reason: "it is not in the message's allowedTools",
    });
    expect(decide(bash('git log | head'), { ...scopes, channel: 'cli' })).toMatchObject({
      decision: 'ask',
      scope: 'message',
    });
  });

  test('an empty list allows nothing', () => {
    expect(decide(bash('ls'), { channel: 'cli', allowedTools: [] }).decision).toBe('deny');
  });

  test('its disallowedTools deny', () => {
    const scopes: Scopes = { channel: 'cli', disallowedTools: ['Bash(npm publish)', 'WebFetch'] };
    expect(decide(bash('npm --tag next publish'), scopes)).toMatchObject({
      decision: 'deny',
      scope: 'message',
    });
    expect(decide(bash('ls'), scopes).decision).toBe('allow');
    expect(decide(bash('ls | wc'), scopes).decision).toBe('ask');
  });
});

describe('[A7] questions to a person', () => {
  test.each(['AskUserQuestion', 'ExitPlanMode'])('%s is asked, whatever rules allow it', (tool) => {
    const scopes = { channel: 'cli', session: rules({ allow: ['*', tool] }), allowedTools: [] };
    expect(decide(call(tool), scopes as Scopes)).toMatchObject({ decision: 'ask', rule: null });
    expect(decide(call(tool), session({ deny: [tool] })).decision).toBe('deny');
  });
});
