import type { Tables, TestsByNumber } from './check.ts';
import type { CitingTest } from './citations.ts';
import { counted, escaped, fileLink } from './markdown.ts';
import { AREAS } from './rules.ts';

/** For each rule, the page shows titles from this many files, those with the most tests. */
const FILES = 8;
/** The number of titles shown from each of them. */
const TITLES = 4;

const INTRODUCTION = `# The specification and its tests

The specification of Baton is the set of numbered rules on this page. Test titles, comments and other pages cite a rule by its
number: \`[Q6]\` is the sixth rule of the run queue. For each rule, this page shows a summary and the tests that prove it: those
whose titles begin with its number.

- A test can prove several rules, and most rules need several tests. Tests in a \`conformance/\` folder run on every adapter of
  their port, for example on all three stores.
- Titles are shown as written in the code, so some contain placeholders such as \`%s\`. Long lists are shortened. To see every
  title, run \`grep -rn "\\[Q6\\]" src web test\`. To run the tests, use \`npm test -- -t "\\[Q6\\]"\`.
- *Not in this version* lists the parts of a rule that do not exist yet. If a rule has no test, the page says why. \`npm test\`
  fails if any other rule loses its last test.

[sources.md](sources.md) lists the requirements that the rules come from. [CONTRIBUTING.md](../CONTRIBUTING.md#tests) explains
how to cite a rule.
`;

export function proofsPage({ rules, gaps }: Tables, tests: TestsByNumber): string {
  const areas = Object.entries(AREAS).map(([letter, name]) => {
    const numbers = Object.keys(rules).filter((number) => number.startsWith(letter));
    const sections = numbers.map((number) => {
      const { summary, missing } = rules[number] ?? { summary: '' };
      return [
        `### ${number}\n`,
        `${summary}\n`,
        ...(missing === undefined ? [] : [`*Not in this version:* ${missing}.\n`]),
        provenWith(tests.get(number) ?? [], gaps[number]),
      ].join('\n');
    });
    return `## ${name}\n\n${sections.join('\n')}`;
  });
  return `${INTRODUCTION}\n${areas.join('\n')}`;
}

function provenWith(tests: readonly CitingTest[], gap: string | undefined): string {
  if (tests.length === 0) return `**No test**${gap === undefined ? '' : `: ${gap}`}.\n`;
  const files = [...Map.groupBy(tests, ({ file }) => file)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const lines = files.slice(0, FILES).map(([file, ofFile]) => {
    const titles = ofFile.slice(0, TITLES).map(({ title }) => escaped(title));
    const others = ofFile.length - titles.length;
    const rest = others > 0 ? ` · and ${others} more` : '';
    return `- ${fileLink(file)}: ${titles.join(' · ')}${rest}`;
  });
  const others = files.slice(FILES).map(([file]) => fileLink(file));
  const also = others.length > 0 ? [`- and ${others.join(', ')}`] : [];
  const summary = `${counted(tests.length, 'test')} in ${counted(files.length, 'file')}`;
  return `<details><summary>${summary}</summary>\n\n${[...lines, ...also].join('\n')}\n\n</details>\n`;
}
