import { describe, expect, test } from 'vitest';
import { FlagNeeds } from './flag-needs.ts';
import { looseParts } from './plain-words.ts';
import { WordTable } from './word-table.ts';

const NONE = new FlagNeeds([]);

describe('[P1] matching rules against a long command', () => {
  const RULES = ['git push', 'git -x y', 'git a b c', 'rm -rf', 'curl -X POST', 'git stash drop'];

  /** How many words all rules are compared with, in a command of that many pieces. */
  function comparedIn(piece: string, times: number): number {
    const table = new WordTable(looseParts(`y POST drop b c;${piece.repeat(times)}`));
    for (const rule of RULES) {
      const words = rule.split(' ');
      const names = words.filter((word) => !word.startsWith('-'));
      const flags = words.filter((word) => word.startsWith('-'));
      const free = flags.length > 0 ? words.indexOf(flags[0]!) : Number.POSITIVE_INFINITY;
      table.matches(names, free, new FlagNeeds(flags), true);
    }
    return table.compared;
  }

  test.each([
    'git ',
    'git -x ',
    'git -x push; ',
    'git;',
    'git a ',
    'git a git -x ',
    'rm -x ',
    'rm -- -rf ',
    'rm -- ;',
    'curl -x ',
    'curl y; ',
    'git git -x stash ',
    '-x ',
    'y ',
  ])('%j repeated: the work grows linearly with the length', (piece) => {
    const [one, two, four] = [1000, 2000, 4000].map((times) => comparedIn(piece, times)) as [
      number,
      number,
      number,
    ];
    // Twice the text is at most twice the work, and each word is compared with each rule only a few times.
    expect(two).toBeLessThanOrEqual(2 * one + 100);
    expect(four).toBeLessThanOrEqual(2 * two + 100);
    expect(four).toBeLessThanOrEqual(4 * RULES.length * 4000 * piece.split(/[ ;]/).length);
  });

  test('a rule takes time in proportion to its own options, not to those of the command', () => {
    const table = new WordTable(looseParts(`a ${'-a '.repeat(100_000)}`));
    const flags = Array.from({ length: 95 }, (_, i) => ['-bcd', '-efg', `--q${i}`][i % 3]!);
    for (let i = 0; i < 600; i++)
      expect(table.matches(['a'], 1, new FlagNeeds([...flags, `--z${i}`]), true)).toBe(false);
    expect(table.compared).toBeLessThan(10_000);
  });

  test('a rule with a word that the command lacks costs nothing', () => {
    const table = new WordTable(looseParts('git -x '.repeat(10_000)));
    for (let i = 0; i < 200; i++) {
      expect(table.matches(['git', `push${i}`], Number.POSITIVE_INFINITY, NONE, true)).toBe(false);
    }
    expect(table.compared).toBe(0);
  });

  test('a rule matches within one part only', () => {
    const table = new WordTable(looseParts('git -C x; push && git status | git -c a=b push'));
    const matches = (...names: string[]) =>
      table.matches(names, Number.POSITIVE_INFINITY, NONE, true);
    expect([matches('git', 'push'), matches('git', 'status'), matches('push', 'git')]).toEqual([
      true,
      true,
      false,
    ]);
    const other = new WordTable(looseParts('git -C x; push; rm -r a; ls -f'));
    expect(other.matches(['git', 'push'], Number.POSITIVE_INFINITY, NONE, true)).toBe(false);
    expect(other.matches(['rm'], 1, new FlagNeeds(['-rf']), true)).toBe(false);
    expect(other.matches(['rm'], 1, new FlagNeeds(['-r']), true)).toBe(true);
  });
});
