/**
 * Prints a random sample of the sentences that people read, each with its file, for a native
 * speaker to judge: `node scripts/prose-sample.ts [--seed N] [--count N]`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

interface Sentence {
  readonly at: string;
  readonly text: string;
}

/**
 * Each kind makes up a quarter of the sample, so that the many comments do not crowd out the few
 * texts of the app.
 */
const KINDS: Record<string, (root: string) => Sentence[]> = {
  docs: (root) => markdownOf(root).flatMap((file) => inMarkdown(root, file)),
  'texts of the web app': (root) =>
    filesBelow(root, 'web/texts/en').flatMap((file) => inStrings(root, file)),
  'messages of server and command line': (root) =>
    filesBelow(root, 'src').flatMap((file) => inStrings(root, file)),
  comments: (root) =>
    ['src', 'web', 'bin'].flatMap((folder) =>
      filesBelow(root, folder).flatMap((file) => inComments(root, file)),
    ),
};

const WORDS_MIN = 4;
const SQL = /^(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|WHERE|AND|CASE|INTEGER) /;

function markdownOf(root: string): string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)];
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.test\.|conformance|corpus/.test(name))
    .map((name) => `${folder}/${name}`);
}

function inMarkdown(root: string, file: string): Sentence[] {
  const text = readFileSync(join(root, file), 'utf8')
    .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''))
    // docs/proofs.md folds its generated lists of test titles, which are not prose of the docs.
    .replace(/^<details>[\s\S]*?^<\/details>$/gm, '')
    .replace(/^#.*$|<!--.*?-->/gm, '');
  const parts = text.split(/\n{2,}|\n(?=(?:[-*]|\d+\.) )|\|/);
  return parts.flatMap((part) => sentencesOf(part, file));
}

function inStrings(root: string, file: string): Sentence[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const literals = text.matchAll(/'((?:[^'\\\n]|\\.){12,})'|`((?:[^`\\]|\\.){12,})`/g);
  return [...literals].flatMap(([, single, template]) => {
    const literal = single ?? template ?? '';
    const text = literal.replace(/\$\{[^}]*\}/g, '…');
    return /^[A-Z“][^=<>{};]*$/.test(text) && !SQL.test(text) ? sentencesOf(literal, file) : [];
  });
}

function inComments(root: string, file: string): Sentence[] {
  const text = readFileSync(join(root, file), 'utf8');
  const comments = text.matchAll(/(?<=^|[\s{(])\/\*\*?([\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n)+/gm);
  return [...comments].flatMap(([whole, block]) =>
    sentencesOf((block ?? whole).replace(/^\s*(\*|\/\/) ?/gm, ''), file),
  );
}

function sentencesOf(part: string, at: string): Sentence[] {
  return part
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?])\s+(?=[A-Z“`])/)
    .map((text) => ({ at, text: text.trim().replace(/^([-*]|\d+\.) /, '') }))
    .filter(({ text }) => text.split(' ').length >= WORDS_MIN && !text.startsWith('biome-ignore'));
}

/** A small generator of numbers (mulberry32): the same seed draws the same sample. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '200' } },
});
const random = randomFrom(Number(values.seed));
const each = Math.ceil(Number(values.count) / Object.keys(KINDS).length);
let number = 0;
for (const [kind, collect] of Object.entries(KINDS)) {
  const all = collect(join(import.meta.dirname, '..'));
  process.stdout.write(`\n# ${kind}: ${each} of ${all.length}\n`);
  for (let drawn = 0; drawn < each && all.length > 0; drawn++) {
    const [sentence] = all.splice(Math.floor(random() * all.length), 1);
    if (sentence !== undefined)
      process.stdout.write(`${++number}. ${sentence.text}  (${sentence.at})\n`);
  }
}
