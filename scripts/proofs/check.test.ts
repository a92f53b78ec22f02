import { expect, test } from 'vitest';
import { byNumber, problemsOf, provenBy } from './check.ts';
import type { CitingTest } from './citations.ts';
import { built, notPlanned, notYet } from './requirements/requirement.ts';

const TABLES = {
  rules: {
    Q1: { summary: 'In order.' },
    Q2: { summary: 'Capped.' },
    T1: { summary: 'Terminals.' },
  },
  requirements: {
    R001: built('queue', 'Q1 T1', 'In order'),
    R002: notYet('queue', 'Q2', 'More than the rule'),
    R003: notPlanned('queue', '', 'Priorities'),
  },
  gaps: { T1: 'not built', R002: 'not built' },
};

const citing = (...cites: string[]): CitingTest => ({ file: 'src/a.test.ts', title: 'one', cites });
const PROVEN = [citing('Q1'), citing('Q2', 'Q1')];

test('rules with tests, and gaps without, are no problem', () => {
  expect(problemsOf(PROVEN, TABLES)).toEqual([]);
});

test('a rule that loses its last test is named, with the requirements that relied on it', () => {
  expect(problemsOf([citing('Q2')], TABLES)).toEqual([
    'Q1 has no test: begin the title of one that proves it with "[Q1] "',
    'R001 has no test: begin the title of one that proves it with "[R001] "',
  ]);
});

test('a gap that is closed must leave the list', () => {
  expect(problemsOf([...PROVEN, citing('T1')], TABLES)).toEqual([
    'T1 now has a test: remove it from scripts/proofs/gaps.ts',
  ]);
});

test('a citation of an unknown rule is named with its test', () => {
  expect(problemsOf([...PROVEN, citing('Q9'), citing('Q1, Q2')], TABLES)).toEqual([
    'src/a.test.ts: no rule is called [Q9]: "one"',
    'src/a.test.ts: no rule is called [Q1, Q2]: "one"',
  ]);
});

test('tests of a rule do not prove a requirement that is not built; its own tests do', () => {
  const { requirements } = TABLES;
  const proofs = byNumber(PROVEN);
  expect(provenBy('R001', requirements.R001, proofs)).toEqual(['Q1']);
  expect(provenBy('R002', requirements.R002, proofs)).toEqual([]);
  expect(problemsOf([...PROVEN, citing('R002')], TABLES)).toEqual([
    'R002 now has a test: change its status in scripts/proofs/requirements/',
  ]);
});

test('gaps and requirements that refer to nothing are named', () => {
  const tables = {
    ...TABLES,
    requirements: { ...TABLES.requirements, R004: built('queue', 'Q1 Z1', 'In order') },
    gaps: { ...TABLES.gaps, R003: 'excluded', Z2: 'gone' },
  };
  expect(problemsOf(PROVEN, tables)).toEqual([
    'R004 is decided by Z1, but no rule is called that',
    'R003 needs no proof: remove it from scripts/proofs/gaps.ts',
    'Z2 needs no proof: remove it from scripts/proofs/gaps.ts',
  ]);
});
