import { expect, onTestFinished, test, vi } from 'vitest';
import { canHighlight } from './highlight.ts';
import { PageLexer } from './markdown-lexer.ts';
import { decoded, GrowingMarkdown, safeAddress, tokensOf } from './markdown-text.ts';

test('entities are decoded once', () => {
  expect(decoded('a &lt; b &amp;&amp; c &#39;x&#x27; &unknown; &')).toBe(
    "a < b && c 'x' &unknown; &",
  );
  expect(decoded('&amp;lt;')).toBe('&lt;');
  expect(decoded('&#0; &#x110000;')).toBe('&#0; &#x110000;');
});

test('[X4] links go to pages and mail addresses only', () => {
  expect(safeAddress('https://example.org/?a=1&amp;b=2')).toBe('https://example.org/?a=1&b=2');
  for (const no of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//example.org',
    './README.md',
  ]) {
    expect(safeAddress(no)).toBeNull();
  }
});

test('[C2] excessive nesting is still shown', () => {
  expect(tokensOf('- a\n  - b')?.map(({ type }) => type)).toEqual(['list']);
  const deepList = Array.from({ length: 2000 }, (_, i) => `${' '.repeat(2 * i)}- x`).join('\n');
  for (const deep of [`${'- '.repeat(20_000)}x`, `${'>'.repeat(9000)}x`, deepList])
    expect(tokensOf(deep)).toBeNull();
  // Code may be indented far, and a rule may be long.
  for (const fine of [`${' '.repeat(300)}x`, '-'.repeat(300), '*'.repeat(300)]) {
    expect(tokensOf(fine)).not.toBeNull();
  }
});

test('[C2] an excessive number of tasks is shown as plain text', () => {
  const tasks = (count: number): string => '- [ ] a\n'.repeat(count);
  expect(tokensOf(tasks(2000), STOPPED)).not.toBeNull();
  expect(tokensOf(tasks(3001), STOPPED)).toBeNull();
});

/** A stopped clock, so that a busy machine does not cause a timeout. */
const STOPPED = (): number => 0;

/** CPU time in milliseconds; the minimum of several tries, because the machine may be busy. */
function costOf(text: string): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    tokensOf(text, STOPPED);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

const HOSTILE: readonly (readonly [string, (length: number) => string])[] = [
  ['the beginning of a mail address', (n) => `${'a.'.repeat(n / 2)}@`],
  ['asterisks', (n) => `${'*'.repeat(n)}a`],
  ['runs of asterisks', (n) => `${'*'.repeat(40)}a`.repeat(n / 41)],
  ['brackets', (n) => '['.repeat(n)],
  ['pictures', (n) => '!['.repeat(n / 2)],
  ['backticks', (n) => '`a``b'.repeat(n / 5)],
  ['tags', (n) => '<a a="'.repeat(n / 6)],
  ['links', (n) => '[a]('.repeat(n / 4)],
];

test.each(HOSTILE)('[C2] reading %s takes time that rises with its length', (_, textOf) => {
  // Longer than the paragraph limit, which bounds it. Quadratic time would be 256 times as long for
  // 16 times the length; the constant covers what is too short to measure.
  costOf(textOf(30_000));
  expect(costOf(textOf(480_000))).toBeLessThan(64 * costOf(textOf(30_000)) + 100);
  expect(
    tokensOf(textOf(200_000), STOPPED)
      ?.map(({ raw }) => raw)
      .join(''),
  ).toBe(textOf(200_000));
});

/** A clock that advances a millisecond with each reading. */
function ticking(): { now: () => number; readings: () => number } {
  let readings = 0;
  return { now: () => readings++, readings: () => readings };
}

test.each(['*~)', '_a_*b', '- "> #\n|-|', '*a*\n\n'])(
  '[C2] a text that takes too long is shown as plain text: %j',
  (unit) => {
    const clock = ticking();
    const text = unit.repeat(2000);
    expect(tokensOf(text, clock.now)).toBeNull();
    expect(clock.readings()).toBeLessThan(400);
    expect(tokensOf(unit, clock.now)).not.toBeNull();
    // A growing text is not retried again and again.
    const again = ticking();
    const reader = new GrowingMarkdown(again.now);
    for (let more = 0; more < 50; more++)
      expect(reader.tokensOf(text + 'a'.repeat(more))).toBeNull();
    expect(again.readings()).toBeLessThan(400);
    expect(reader.tokensOf('other')).toHaveLength(1);
  },
);

test.each([
  [`${'a'.repeat(150)}.${'b'.repeat(150)};\n`, 'java', true],
  [`x = ${'a'.repeat(300)}`, 'java', false],
  ['é'.repeat(300), 'java', false],
  ['\n'.repeat(300), 'ruby', false],
  [`//${' '.repeat(300)}x`, 'go', false],
  [`//${'\u00a0'.repeat(300)}x`, 'go', false],
  ['[a]('.repeat(1000), 'markdown', false],
  ['[a]('.repeat(1000), 'c', true],
  ['a '.repeat(20_000), 'c', false],
] as const)('[C2] code that would take long is shown without colours: %j', (code, language, is) => {
  expect(canHighlight(code, language)).toBe(is);
});

test('[C2] page addresses are links, mail addresses only if marked up as such', () => {
  const links = (text: string): string[] => {
    const [paragraph] = tokensOf(text) ?? [];
    const tokens = (paragraph as { tokens?: { type: string; href?: string }[] }).tokens ?? [];
    return tokens.flatMap(({ type, href = '' }) => (type === 'link' ? [href] : []));
  };
  expect(links('see https://a.example/b, www.c.example and _ftp://d.example_')).toEqual([
    'https://a.example/b',
    'http://www.c.example',
  ]);
  expect(links('write to ann@example.org')).toEqual([]);
  expect(links('write to <ann@example.org>')).toEqual(['mailto:ann@example.org']);
});

/** A text as it arrives a few characters at a time. */
function* growing(text: string, by: number): Generator<string> {
  for (let end = by; end < text.length + by; end += by) yield text.slice(0, end);
}

const STORY = [
  '# Title\n\nA *paragraph* with `code`,\r\nand a second line.\n\nSetext\n======\n\n',
  '- one\n- two\n\n  still two\n\n- three\n\n1. first\n2. second\n\n> quoted\nlazily\n\n',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '<div>\nhtml\n</div>\n\n    indented\n\n    code\n\n***\n\n[x] ends here\n\n- [ ] todo\n',
].join('');

test('[C2] a growing text is always parsed like the whole text', () => {
  for (const by of [1, 7, 40]) {
    const reader = new GrowingMarkdown(STOPPED);
    for (const text of growing(STORY, by)) {
      expect(reader.tokensOf(text)).toEqual([...(tokensOf(text, STOPPED) ?? [])]);
    }
  }
  const reader = new GrowingMarkdown(STOPPED);
  reader.tokensOf(STORY);
  expect(reader.tokensOf('other')).toEqual([...(tokensOf('other') ?? [])]);
});

test('[C2] parsing a growing text takes linear time', () => {
  const lex = vi.spyOn(PageLexer.prototype, 'lex');
  onTestFinished(() => lex.mockRestore());
  const work = (parts: number): number => {
    lex.mockClear();
    const reader = new GrowingMarkdown(STOPPED);
    for (const text of growing(STORY.repeat(parts), 20)) reader.tokensOf(text);
    return lex.mock.calls.reduce((sum, [src]) => sum + src.length, 0);
  };
  expect(work(40)).toBeLessThan(2.2 * work(20));
});
