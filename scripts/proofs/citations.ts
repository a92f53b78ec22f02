import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** A test whose title, or the title of a `describe` around it, begins with rule numbers. */
export interface CitingTest {
  /** Relative to the project, with slashes. */
  readonly file: string;
  /** Without the rule numbers. Placeholders (`%s`, `$name`, `${…}`) stay as they are written. */
  readonly title: string;
  readonly cites: readonly string[];
}

/** Suites and rigs define tests, too, in files that are not called `*.test.ts`. */
const FILES = [
  '{src,web,scripts}/**/*.test.{ts,tsx}',
  'src/**/conformance/**/*.ts',
  'test/**/*.{ts,tsx}',
];

/** The tests of the whole project, ordered by file and by their place in it. */
export function readCitingTests(root: string): CitingTest[] {
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return [...new Set(files)].sort().flatMap((file) => {
    const source = readFileSync(`${root}/${file}`, 'utf8');
    // Parsing is slow, and a quarter of the files cite nothing.
    return /\[[A-Z]\d/.test(source) ? citingTestsIn(file.replaceAll('\\', '/'), source) : [];
  });
}

/** What a `describe` adds to the tests in it. */
interface Group {
  readonly cites: readonly string[];
  readonly text: string;
}

/**
 * The tests of one file, read from its syntax tree, because many are defined by helpers, in loops or
 * in tables. Any string outside the body of a test that begins with a rule number is a title.
 */
export function citingTestsIn(file: string, source: string): CitingTest[] {
  const tests: CitingTest[] = [];
  const add = ({ cites, text }: Title, group: Group): void => {
    const all = [...new Set([...group.cites, ...cites])];
    const title = cites.length === 0 ? `${group.text}: ${text}` : text;
    if (all.length > 0) tests.push({ file, title, cites: all });
  };
  const visit = (node: Node, group: Group): void => {
    // Names the test that detects a planted fault.
    if (node.type === 'Property' && node.key?.name === 'rule') return;
    const own = titleOf(node, source);
    if (own !== null && own.cites.length > 0) add(own, group);
    const [first, ...others] = node.type === 'CallExpression' ? (node.arguments ?? []) : [];
    const title = first === undefined ? null : titleOf(first, source);
    const called = calledNames(node);
    if (title !== null && (called.includes('skip') || called.includes('todo'))) return;
    if (title !== null && called.includes('describe')) {
      const cites = [...group.cites, ...title.cites];
      for (const child of others) visit(child, { cites, text: title.text });
    } else if (title !== null && (title.cites.length > 0 || others.some(isFunction))) {
      add(title, group);
      if (node.callee !== undefined) visit(node.callee, group);
    } else {
      for (const child of childrenOf(node)) visit(child, group);
    }
  };
  visit(parseSync(file, source).program as unknown as Node, { cites: [], text: '' });
  return tests;
}

/** As much of a node of the syntax tree as is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly key?: Node;
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly tag?: Node;
  readonly arguments?: readonly Node[];
  readonly expressions?: readonly Node[];
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
const isFunction = ({ type }: Node): boolean =>
  type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** `test` and `each` of `test.each(rows)('title', …)`. */
function calledNames(node: Node): string[] {
  const inner = node.callee ?? node.object ?? node.tag;
  const name = node.property?.name ?? node.name;
  return [...(inner ? calledNames(inner) : []), ...(name === undefined ? [] : [name])];
}

interface Title {
  readonly text: string;
  readonly cites: readonly string[];
}

/** Null if the node is not a string. */
function titleOf(node: Node, source: string): Title | null {
  const whole = textOf(node, source);
  if (whole === null) return null;
  const numbers = /^(?:\[[A-Z]\d[^\]]*\]\s*)*/.exec(whole)?.[0] ?? '';
  const cites = [...numbers.matchAll(/\[([^\]]*)\]/g)].map(([, number = '']) => number);
  return { text: whole.slice(numbers.length), cites };
}

function textOf(node: Node, source: string): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'TemplateLiteral') return null;
  const { quasis = [], expressions = [] } = node;
  return quasis
    .map(({ value }, index) => {
      const expression = expressions[index];
      const placeholder = expression && `\${${source.slice(expression.start, expression.end)}}`;
      return value.cooked + (placeholder ?? '');
    })
    .join('');
}
