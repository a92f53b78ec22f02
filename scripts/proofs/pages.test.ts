import { expect, test } from 'vitest';
import { byNumber } from './check.ts';
import { CONFLICTS } from './conflicts.ts';
import { GAPS } from './gaps.ts';
import { escaped } from './markdown.ts';
import { proofsPage } from './proofs-page.ts';
import { REQUIREMENTS } from './requirements.ts';
import { AREAS, RULES } from './rules.ts';
import { sourcesPage } from './sources-page.ts';

const TABLES = { rules: RULES, requirements: REQUIREMENTS, gaps: GAPS };
const MANY = Array.from({ length: 12 }, (_, index) =>
  Array.from({ length: index + 1 }, (_, other) => ({
    file: `src/folder/file-${index}.test.ts`,
    title: `title ${other}`,
    cites: ['Q6'],
  })),
).flat();

test('the tables are complete and in order', () => {
  const numbers = Array.from({ length: 150 }, (_, index) => `R${`${index + 1}`.padStart(3, '0')}`);
  expect(Object.keys(REQUIREMENTS)).toEqual(numbers);
  expect(CONFLICTS).toHaveLength(29);
  const areas = Map.groupBy(Object.keys(RULES), (number) => number.charAt(0));
  expect([...areas.keys()]).toEqual(Object.keys(AREAS));
  for (const [letter, rules] of areas)
    expect(rules).toEqual(rules.map((_, index) => `${letter}${index + 1}`));
});

test('every conflict that a requirement refers to exists', () => {
  for (const { note = '' } of Object.values(REQUIREMENTS)) {
    const number = /conflict (\d+)/.exec(note)?.[1];
    if (number !== undefined) expect(CONFLICTS[Number(number) - 1]).toBeDefined();
  }
});

test('a rule shows how many tests it has, and the files with the most first', () => {
  const page = proofsPage(TABLES, byNumber(MANY));
  expect(page).toContain('<summary>78 tests in 12 files</summary>');
  expect(page).toContain(
    '- [file-11.test.ts](../src/folder/file-11.test.ts): title 0 · title 1 · title 2 · title 3 · and 8 more\n',
  );
  expect(page).toContain('- and [file-3.test.ts](../src/folder/file-3.test.ts), [file-2');
});

test('a rule without a test gives the reason', () => {
  expect(proofsPage(TABLES, new Map())).toContain('### S11\n\nWriting');
  expect(proofsPage(TABLES, new Map())).toContain(`**No test**: ${GAPS['S11']}.\n`);
});

test('a requirement shows its own tests and those of its rules', () => {
  const own = { file: 'src/queue/conformance/order.ts', title: 'in time', cites: ['R014', 'Q3'] };
  const page = sourcesPage(TABLES, byNumber([own]));
  expect(page).toContain(
    '| “in time” ([conformance/order.ts](../src/queue/conformance/order.ts)); tests of Q3 |\n',
  );
  expect(page).toContain('| not yet | [P5](proofs.md#p5) | no test: nothing is archived');
});

test('titles are shown literally, except for code', () => {
  expect(escaped('a_b <c> `d_e` $f `g')).toBe('a\\_b \\<c\\> `d_e` \\$f \\`g');
});
