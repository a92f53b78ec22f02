import { describe, expect, test } from 'vitest';
import { FlagNeeds } from './flag-needs.ts';
import { looseParts } from './plain-words.ts';
import { WordTable } from './word-table.ts';

const NONE = new FlagNeeds([]);

describe('[P1] looking for rules in a long command', () => {
  const RULES = ['git push', 'git -x y', 'git a b c', 'rm -rf', 'curl -X POST', 'git stash drop'];

  /** How many words are compared for all rules in a command of so many pieces. */
  function comparedIn(piece: string, times: number): number {
    const table = new WordTable(looseParts(`y POST drop b c;${piece.repeat(times)}`));
    for (const rule of RULES) {
      const words = rule.split(' ');
      const names = words.filter((word) => !word.startsWith('-'));
      const flags = words.filter((word) => word.startsWith('-'));
      const free = flags.length > 0 ? words.indexOf(flags[0]!) : Number.POSITIVE_INFINITY;
      table.says(names, free, new FlagNeeds(flags), true);
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
  ])('%j over and over: the work grows with the length', (piece) => {
    const [one, two, four] = [1000, 2000, 4000].map((times) => comparedIn(piece, times)) as [
      number,
      number,
      number,
    ];
    // Twice the text is at most twice the work, and a word is compared with a rule a few times at most.
    expect(two).toBeLessThanOrEqual(2 * one + 100);
    expect(four).toBeLessThanOrEqual(2 * two + 100);
    expect(four).toBeLessThanOrEqual(4 * RULES.length * 4000 * piece.split(/[ ;]/).length);
  });

  test('a rule with a word that the command does not have costs nothing', () => {
    const table = new WordTable(looseParts('git -x '.repeat(10_000)));
    for (let i = 0; i < 200; i++) {
      expect(table.says(['git', `push${i}`], Number.POSITIVE_INFINITY, NONE, true)).toBe(false);
    }
    expect(table.compared).toBe(0);
  });

  test('parts are apart', () => {
    const table = new WordTable(looseParts('git -C x; push && git status | git -c a=b push'));
    const says = (...names: string[]) => table.says(names, Number.POSITIVE_INFINITY, NONE, true);
    expect([says('git', 'push'), says('git', 'status'), says('push', 'git')]).toEqual([
      true,
      true,
      false,
    ]);
    const other = new WordTable(looseParts('git -C x; push; rm -r a; ls -f'));
    expect(other.says(['git', 'push'], Number.POSITIVE_INFINITY, NONE, true)).toBe(false);
    expect(other.says(['rm'], 1, new FlagNeeds(['-rf']), true)).toBe(false);
    expect(other.says(['rm'], 1, new FlagNeeds(['-r']), true)).toBe(true);
  });
});
