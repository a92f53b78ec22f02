import { expect, test } from 'vitest';
import { citingTestsIn } from './citations.ts';

/** Title and numbers of each test in `source`. */
const read = (source: string): string[] =>
  citingTestsIn('src/a.test.ts', source).map(({ title, cites }) => `${cites.join(' ')} | ${title}`);

test('a title can cite several rules and requirements', () => {
  const source = `
    test('[Q6] [E3] [R086] one', () => {});
    test('cites nothing', () => {});
    test('cites [Q1] too late', () => {});
  `;
  expect(citingTestsIn('src/a.test.ts', source)).toEqual([
    { file: 'src/a.test.ts', title: 'one', cites: ['Q6', 'E3', 'R086'] },
  ]);
});

test('the title of a describe counts for its tests, however deep', () => {
  const source = `
    describe('[S1] states', () => {
      test('uncited', () => until('ready', () => true));
      test('[Q9] [S1] cited', () => {});
      describe.each([1])('[X1] at %d', () => {
        for (const name of NAMES) it(name + '!', () => {});
        it('inner', async () => {});
      });
    });
    test('outside', () => {});
  `;
  expect(read(source)).toEqual(['S1 | states: uncited', 'S1 Q9 | cited', 'S1 X1 | at %d: inner']);
});

test('placeholders of tables and templates stay as they are written', () => {
  const template = `[Q4] \${count} users, “ä”: \${list.map((it) => \`<\${it}>\`)}`;
  const source = `
    test.each([1, 2])('[Q2] %d slots', () => {});
    test.each\`a | b\`('[Q2] $a', () => {});
    test.runIf(linux)('[Q2] on Linux', { timeout: 1 }, () => {});
    test(\`${template}\`, () => {});
  `;
  expect(read(source)).toEqual([
    'Q2 | %d slots',
    'Q2 | $a',
    'Q2 | on Linux',
    template.replace('[Q4]', 'Q4 |'),
  ]);
});

test('helpers, tables and the rules of a conformance suite are tests', () => {
  const source = `
    rule('[Q1] in order', async (rig) => {});
    onLinux('[A9] gone', () => {});
    export const RULES: Rule[] = [{ title: '[A4] succeeds', run: (rig) => rig.end }];
    test.each([['[E1] twice', 1]] as const)('%s', (name, row) => {});
  `;
  expect(read(source)).toEqual(['Q1 | in order', 'A9 | gone', 'A4 | succeeds', 'E1 | twice']);
});

test('comments, bodies of tests, names of others, and tests that do not run are not proofs', () => {
  const source = `
    // test('[Q1] in a comment', () => {});
    test('parses', () => expect(parse("test('[Q2] sample')")).toEqual(['[Q2] sample']));
    const faults = [{ rule: '[A1] detects it', driver }];
    test.todo('[Q3] later');
    test.skip('[Q4] broken', () => {});
    describe.skip('[Q5] not now', () => test('[Q6] inner', () => {}));
  `;
  expect(read(source)).toEqual([]);
});

test('a list of numbers in one pair of brackets is kept as one number, which is unknown', () => {
  expect(read("test('[Q1, Q2] both', () => {});")).toEqual(['Q1, Q2 | both']);
});
