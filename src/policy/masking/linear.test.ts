import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { DEPTH } from '../../../test/support/depth.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { assignmentRules } from './assignment.ts';
import { bearerRule } from './bearer.ts';
import { HARMLESS, SECRETS } from './corpus.ts';
import { formatRules } from './formats.ts';
import { lineRule } from './line-token.ts';
import { createMasker } from './masking.ts';
import { privateKeyRule } from './private-key.ts';
import { stepCounter } from './regexp-steps.ts';
import { tokenRules } from './token-prefixes.ts';
import { urlRule } from './url-credentials.ts';

interface Expressions {
  readonly literals: RegExp[];
  /** How many are put together at run time, by file. */
  readonly composed: Record<string, number>;
}

/** The regular expressions of this folder, except in tests. */
function expressionsOfFolder(): Expressions {
  const folder = new URL('./', import.meta.url);
  const literals: RegExp[] = [];
  const composed: Record<string, number> = {};
  for (const name of readdirSync(folder)) {
    if (/\.test\.ts$|^(?:corpus|regexp-steps)\.ts$/.test(name)) continue;
    const code = readFileSync(new URL(name, folder), 'utf8');
    JSON.stringify(parseAst(code, { lang: 'ts' }), (_, node) => {
      if (node?.regex !== undefined)
        literals.push(new RegExp(node.regex.pattern, node.regex.flags));
      const isMade = ['NewExpression', 'CallExpression'].includes(node?.type);
      if (isMade && node.callee.name === 'RegExp') composed[name] = (composed[name] ?? 0) + 1;
      return node;
    });
  }
  return { literals, composed };
}
const { literals, composed } = expressionsOfFolder();

/** Characters that have several meanings in keys, code and shells. */
const COMMON = [...'+=-/"\'\\ \n:,;.*#a1A', '\\n', '--'];

/** Longer than any part of a text that an expression is applied to. */
const WINDOW = 512;

/** Repeats parts of what an expression matches, and varies the text that took most steps. */
function worstOf(expression: RegExp, limit: number): { steps: number; text: string } {
  const { count, sample } = stepCounter(expression);
  const random = seeded(expression.source.length);
  const below = (n: number): number => Math.floor(random() * n);
  const piece = (): string => (below(3) === 0 ? COMMON[below(COMMON.length)]! : sample(random));
  let worst = { steps: 0, pieces: [] as string[], text: '' };
  for (let i = 0; i < 200 * DEPTH && worst.steps <= limit; i++) {
    let pieces: string[] = [];
    if (i % 2 === 0) {
      const unit = Array.from({ length: 1 + below(4) }, piece);
      const most = i % 4 === 0 ? 3 : 60;
      while (pieces.length < WINDOW) {
        for (const each of unit) pieces.push(...Array<string>(1 + below(most)).fill(each));
      }
    } else {
      pieces = [...worst.pieces];
      for (let change = 0; change < 6; change++) {
        const more = Array<string>(below(20)).fill(piece());
        pieces.splice(below(Math.min(pieces.length, WINDOW)), below(4), ...more);
      }
    }
    const text = pieces.join('').slice(0, i % 3 === 0 ? below(WINDOW) : WINDOW);
    const { steps } = count(text, limit);
    if (steps > worst.steps) worst = { steps, pieces, text };
  }
  return worst;
}

/** The worst expression takes 23 for each character of a window; one that explodes takes millions. */
const STEPS_MAX = 100 * WINDOW;

test('[P4] no regular expression takes more than 100 steps per character of a window', {
  timeout: 120_000,
}, () => {
  expect(literals.length).toBeGreaterThan(90);
  for (const expression of literals) {
    const { steps, text } = worstOf(expression, STEPS_MAX);
    expect(steps, `${expression} on ${JSON.stringify(text)}`).toBeLessThanOrEqual(STEPS_MAX);
  }
});

test('expressions made at run time are alternatives of plain text, or one class', () => {
  expect(composed).toEqual({ 'literals.ts': 1, 'rule.ts': 1, 'stream.ts': 1 });
});

// One expression for several lines of a key. A plus sign fits each of its parts.
const BREAKS = String.raw`(?:\s|\\{1,3}[rn]|["'+,;)]){0,24}`;
const MARGIN = String.raw`[^A-Za-z\n]{0,16}?`;
test.each([
  new RegExp(`^(?:${BREAKS}${MARGIN}[A-Za-z0-9+/=]{1,76}){0,2}${BREAKS}${MARGIN}-----END `),
  new RegExp(`^(?:\\s{1,2}(?:Version|Hash): [^\\n]{0,80}){0,3}${BREAKS}[^\\n]{0,40}?[\\w+/]{40}`),
  /^(?:a+)+$/,
  /^[a-z ]*[a-z]*[ a-z]*$/,
])('the search for slow windows finds those of %s', (expression) => {
  expect(worstOf(expression, STEPS_MAX).steps).toBeGreaterThan(STEPS_MAX);
});

test('the counted steps lead to the result of the engine', { timeout: 60_000 }, () => {
  const texts = [...SECRETS.map(({ text }) => text), ...HARMLESS].map((text) => text.slice(0, 300));
  for (const expression of literals) {
    const { count } = stepCounter(expression);
    const once = new RegExp(expression.source, expression.flags.replace('g', ''));
    for (const text of texts) {
      const { matches } = count(text, Number.POSITIVE_INFINITY);
      expect(matches, `${expression} on ${JSON.stringify(text)}`).toBe(once.test(text));
    }
  }
});

const STARTS = [
  ...new Set(
    [
      ...tokenRules,
      ...formatRules,
      ...assignmentRules({ inCall: false }),
      bearerRule,
      urlRule,
      lineRule,
      privateKeyRule,
    ].map(({ start }) => start),
  ),
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '\n-----END PRIVATE KEY-----',
  ],
  ...[
    'password=',
    'password: ',
    '"password": ["',
    'password: |\n  ',
    'Authorization: ',
    'curl -u a:',
  ],
  ...['://name:', '<password>', '"name": "token", "value": "', '\nHash: ', 'Bearer '],
];

/** A few milliseconds are usual. Processor time does not depend on other programs. */
const SLOW_MS = 400;
const TEXT = 2048;

test('[P4] no rule is slow, whatever follows its beginning', { timeout: 120_000 }, () => {
  const masker = createMasker({ broadCapitals: true });
  masker.hide(['hunter2hunter2', 'aaaaaaaaaaaab']);
  const random = seeded(1);
  const below = (n: number): number => Math.floor(random() * n);
  const pick = (from: readonly string[]): string => from[below(from.length)]!;
  const milliseconds = (text: string): number => {
    const start = process.cpuUsage();
    masker.mask(text);
    masker.maskCall(text);
    return process.cpuUsage(start).user / 1000;
  };
  for (const start of STARTS) {
    for (let i = 0; i < 3 * DEPTH; i++) {
      const unit = Array.from({ length: 1 + below(3) }, () => pick(COMMON)).join('');
      const end = pick(['', '!', '\n', ...STARTS]);
      // In small steps, so that a rule that explodes fails before it blocks.
      for (let length = 20; length < 450; length = Math.ceil(length * 1.3)) {
        const once = start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end;
        const text = once.repeat(Math.ceil(TEXT / once.length));
        const taken = milliseconds(text);
        // Once more: the first time may include a garbage collection.
        const least = taken < SLOW_MS ? taken : Math.min(taken, milliseconds(text));
        expect(least, JSON.stringify(once)).toBeLessThan(SLOW_MS);
      }
    }
  }
});
