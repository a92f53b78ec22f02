import { provenBy, type Tables, type TestsByNumber } from './check.ts';
import { CONFLICTS } from './conflicts.ts';
import { anchored, escaped, fileLink } from './markdown.ts';
import type { Requirement } from './requirements/requirement.ts';
import { DOCUMENTS, SECTIONS } from './requirements.ts';

const INTRODUCTION = `# The requirements behind Baton

Baton combines five earlier designs. This page lists what each of them asks for and how Baton responds to it. The “rules”
column names the rules of the [specification](proofs.md) that determine what Baton does, including where the designs disagree.

| design | in test titles | what it is |
|---|---|---|
${Object.entries(DOCUMENTS)
  .map(([name, what], index) => `| ${name} | S${index} | ${what} |`)
  .join('\n')}

| status | meaning |
|---|---|
| built | Baton does this, or does what the remark says instead |
| partly | Baton does part of this; the remark says what is missing |
| not yet | planned, but not in this version |
| not planned | excluded by the design itself |

A requirement is proven by the tests of its rules and by tests that cite its own number, such as \`[R086]\`. If it is not built yet,
only the latter count, because a rule can cover more than one requirement.
`;

export function sourcesPage(tables: Tables, tests: TestsByNumber): string {
  const sections = Object.entries(SECTIONS).map(([name, requirements]) => {
    const rows = Object.entries(requirements).map(([number, requirement]) =>
      rowOf(number, requirement, tables, tests),
    );
    return `## ${name}

| | requirement | source | status | rules | proof |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  const conflicts = CONFLICTS.map(
    ([conflict, decision], index) => `| ${index + 1} | ${conflict} | ${decision} |`,
  );
  return `${INTRODUCTION}
${sections.join('\n')}
## Conflicts

The designs contradict each other in places, and sometimes themselves. This table lists the conflicts and what was decided. A
decision about something that is not built yet applies once it is built.

| | conflict | decision |
|---|---|---|
${conflicts.join('\n')}
`;
}

function rowOf(
  number: string,
  requirement: Requirement,
  { gaps }: Tables,
  tests: TestsByNumber,
): string {
  const { source, status, rules, summary, note } = requirement;
  const what =
    note === undefined ? summary : `${summary}. *${note[0]?.toUpperCase()}${note.slice(1)}*`;
  const cells = [number, what, escaped(source), status, rules.map(anchored).join(' ')];
  return `| ${[...cells, proofOf(number, requirement, gaps, tests)].join(' | ')} |`;
}

function proofOf(
  number: string,
  requirement: Requirement,
  gaps: Tables['gaps'],
  tests: TestsByNumber,
): string {
  if (requirement.status === 'not planned') return '–';
  const gap = gaps[number];
  if (gap !== undefined) return `no test: ${gap}`;
  const own = (tests.get(number) ?? []).map(
    ({ file, title }) => `“${escaped(title)}” (${fileLink(file)})`,
  );
  const rules = provenBy(number, requirement, tests).filter((one) => one !== number);
  return [...own, ...(rules.length > 0 ? [`tests of ${rules.join(', ')}`] : [])].join('; ');
}
