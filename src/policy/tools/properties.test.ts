import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Channel } from '../../contract/message.ts';
import { Decision, type ToolRules, Verdict } from '../../contract/policy.ts';
import { shellCall, type ToolCall } from './call.ts';
import { CHANNEL_DEFAULTS } from './channel-defaults.ts';
import { decide, type Scopes } from './decide.ts';
import { kindOf } from './kind.ts';
import { parseRule, printRule } from './rule.ts';
import { plainWords } from './words/plain-words.ts';

/* Properties of any call with any rules. */

const pick = (...from: string[]) => fc.constantFrom(...from);
const WORDS = 'git push rm -rf -r -f --force ls npm test publish status -C src .env a'.split(' ');
const SYNTAX = [' ', ' ', ' ', ';', '&&', '|', '$(', ')', '"', "'", '\\', '*', '\n', '=', '#'];

const commands = fc.oneof(
  fc.array(pick(...WORDS), { maxLength: 5 }).map((words) => words.join(' ')),
  fc.array(pick(...WORDS, ...SYNTAX), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const paths = fc
  .array(pick('..', '.', 'src', '.env', '', '~', 'a', 'work', 'app'), { maxLength: 6 })
  .map((names) => names.join('/'));
const TOOLS = ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'WebFetch', 'AskUserQuestion', 'Task'];
const inputs = fc.oneof(
  fc.record({ file_path: paths, path: paths, pattern: paths, url: fc.webUrl() }),
  fc.jsonValue(),
) as fc.Arbitrary<ToolCall['input']>;
const location = { cwd: '/srv/app', home: '/home/me' };
const calls: fc.Arbitrary<ToolCall> = fc.oneof(
  commands.map((command) => shellCall(command, location)),
  fc.record({
    tool: pick(...TOOLS, 'mcp__a__b', 'Unknown', '__proto__'),
    input: inputs,
    cwd: pick('/srv/app'),
  }),
);

const rule = fc.oneof(
  pick('*', 'Bash', 'Read', 'Edit', 'Write', 'mcp__a', 'Bash(safe)', 'Bash(read-only)', 'Task'),
  fc.tuple(pick('Bash'), commands).map(([tool, text]) => `${tool}(${text})`),
  fc.tuple(commands, pick(':*', ' *', '*')).map(([text, end]) => `Bash(${text}${end})`),
  fc
    .tuple(pick('Read', 'Edit', 'Write'), paths, pick('', '/**', '/*'))
    .map(([tool, path, end]) => `${tool}(${path}${end})`),
  fc.string({ maxLength: 12 }),
);
const list = fc.array(rule, { maxLength: 3 });
const ruleSet: fc.Arbitrary<ToolRules> = fc.record({ allow: list, ask: list, deny: list });
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });
const scopesOf: fc.Arbitrary<Scopes> = fc.record({
  channel: fc.constantFrom(...Channel.options),
  allowedTools: maybe(list),
  disallowedTools: maybe(list),
  session: maybe(ruleSet),
  channelRules: maybe(ruleSet),
  global: maybe(ruleSet),
});

const strict = (call: ToolCall, scopes: Scopes): number =>
  Decision.options.indexOf(decide(call, scopes).decision);
const many = { numRuns: 600 };

describe('[P1] any call and any rules', () => {
  test('have a valid verdict and kind', () => {
    fc.assert(
      fc.property(calls, scopesOf, (call, scopes) => {
        expect(Verdict.safeParse(decide(call, scopes)).success).toBe(true);
        expect(['reading', 'writing', 'unrepeatable']).toContain(kindOf(call));
      }),
      many,
    );
  });

  test('[P2] a message never widens the rules', () => {
    fc.assert(
      fc.property(calls, scopesOf, (call, scopes) => {
        const { allowedTools, disallowedTools, ...without } = scopes;
        expect(strict(call, scopes)).toBeGreaterThanOrEqual(strict(call, without));
        const { disallowedTools: _, ...allowed } = scopes;
        expect(strict(call, scopes)).toBeGreaterThanOrEqual(strict(call, allowed));
        const fewer = { ...scopes, allowedTools: allowedTools?.slice(1) };
        expect(strict(call, fewer)).toBeGreaterThanOrEqual(strict(call, scopes));
      }),
      many,
    );
  });

  test('one more deny rule never makes the verdict less strict', () => {
    const scopeNames = fc.constantFrom('session', 'channelRules', 'global');
    fc.assert(
      fc.property(calls, scopesOf, scopeNames, rule, (call, scopes, at, deny) => {
        const none = { allow: [], ask: [], deny: [] };
        const before =
          scopes[at] ?? (at === 'channelRules' ? CHANNEL_DEFAULTS[scopes.channel] : none);
        const after = { ...scopes, [at]: { ...before, deny: [...before.deny, deny] } };
        expect(strict(call, after)).toBeGreaterThanOrEqual(strict(call, scopes));
      }),
      many,
    );
  });

  test('a command that is not plain is allowed only by rules for the whole tool', () => {
    const named = list.map((rules) => rules.filter((one) => parseRule(one)?.specifier !== null));
    fc.assert(
      fc.property(commands, named, (command, allow) => {
        if (plainWords(command).words) return;
        const scopes: Scopes = { channel: 'web', session: { allow, ask: [], deny: [] } };
        expect(decide(shellCall(command, location), scopes).decision).not.toBe('allow');
      }),
      many,
    );
  });

  test('a rule survives parsing and printing', () => {
    fc.assert(
      fc.property(rule, (text) => {
        const parsed = parseRule(text);
        if (parsed) expect(parseRule(printRule(parsed))).toEqual(parsed);
      }),
      many,
    );
  });
});

describe('[P1] quotes', () => {
  test('do not change the verdict', () => {
    const quoted = pick(...WORDS).chain((word) =>
      fc.tuple(pick("'", '"'), fc.nat(word.length), fc.nat(word.length)).map(([quote, a, b]) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const spelt = `${word.slice(0, from)}${quote}${word.slice(from, to)}${quote}${word.slice(to)}`;
        return { word, spelt };
      }),
    );
    fc.assert(
      fc.property(fc.array(quoted, { minLength: 1, maxLength: 5 }), scopesOf, (words, scopes) => {
        const bare = shellCall(words.map(({ word }) => word).join(' '), location);
        const spelt = shellCall(words.map((one) => one.spelt).join('  '), location);
        expect(decide(spelt, scopes)).toEqual(decide(bare, scopes));
        expect(kindOf(spelt)).toBe(kindOf(bare));
      }),
      many,
    );
  });

  test.each(['sh', 'bash'])('plain words are the words that %s sees', (shell) => {
    const signs = [...'ab\'" \\$`*?~#=!;&|<>(){}[]\t\n,^%@:é-/+.'];
    const texts = fc.sample(
      fc
        .array(pick(...signs, "'", '"', ' ', 'a', 'b'), { maxLength: 10 })
        .map((all) => all.join('')),
      { numRuns: 4000 },
    );
    const plain = texts
      .map((text) => `x ${text}`)
      .flatMap((text) => {
        const { words } = plainWords(text);
        return words ? [{ text, words }] : [];
      });
    expect(plain.length).toBeGreaterThan(300);
    const script = `x() { printf '<%s>' "$@"; echo; }\n${plain.map(({ text }) => text).join('\n')}\n`;
    const output = execFileSync(shell, [], { input: script, encoding: 'utf8', cwd: '/' });
    const print = ([, ...rest]: readonly string[]): string =>
      rest.length === 0 ? '<>' : rest.map((word) => `<${word}>`).join('');
    expect(output.trimEnd().split('\n')).toEqual(plain.map(({ words }) => print(words)));
  });
});

describe('[P1] long input', () => {
  const size = 200_000;
  // With quadratic time these would run into the timeout.
  test.each([
    ['words', 'rm '],
    ['options', 'git -x '],
    ['parts', 'git;'],
    ['quotes', "'"],
    ['pairs of quotes', '"a"'],
    ['substitutions', '$('],
    ['backslashes', '\\'],
    ['slashes', 'a/'],
    ['steps up', '../'],
    ['equals', 'a=b '],
  ])('of %s', (_, piece) => {
    const text = piece.repeat(size / piece.length);
    const rules = {
      allow: ['Bash(git * * * x)', 'Bash(safe)', 'Read(**/a/**/b)'],
      ask: ['Bash(* * * y)'],
      deny: ['Bash(rm -rf)', 'Bash(git push -x y)', 'Read(**/a/**/*b*b*b)', 'Edit(.env)'],
    };
    const scopes: Scopes = { channel: 'web', session: rules, allowedTools: rules.allow };
    expect(decide(shellCall(text, location), scopes).decision).not.toBe('allow');
    expect(decide(shellCall(`${text};`, location), scopes).decision).not.toBe('allow');
    expect(decide({ ...location, tool: 'Read', input: { file_path: text } }, scopes)).toBeDefined();
    expect(decide({ ...location, tool: 'Glob', input: { pattern: text } }, scopes)).toBeDefined();
    expect(decide({ ...location, tool: text, input: { url: text } }, scopes).decision).toBe('deny');
    expect(kindOf(shellCall(text))).not.toBe('reading');
  });
});
