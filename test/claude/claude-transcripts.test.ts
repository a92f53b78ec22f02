import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../src/agents/claude/ends.ts';
import { Events } from '../../src/agents/claude/events.ts';
import { parseLine } from '../../src/agents/claude/lines.ts';
import { usageAfter, usageOf } from '../../src/agents/claude/usage.ts';
import { OLDEST_VERSION } from '../../src/agents/claude/version.ts';
import { SESSION_EVENTS } from '../../src/contract/session-event.ts';
import { root } from '../support/processes.ts';

const folder = join(root, 'test/fixtures/claude-transcripts');
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.jsonl'),
);

/** The events parsed from the lines of a recorded process. */
function understood(name: string) {
  const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n').map(parseLine);
  const events = new Events();
  const given = lines.flatMap((line) => [...events.take(line)]);
  const { results, version = null } = events;
  const counted = { ...events, version, before: undefined };
  const failed = results.at(-1)?.is_error !== false;
  const outcome = outcomeOf({
    ...events,
    // Old recordings must not be rejected by their version.
    version: OLDEST_VERSION,
    missingTools: [],
    exit: { code: failed ? 1 : 0, signal: null },
    stderr: '',
    result: results.at(-1),
    now: Date.UTC(2026, 10, 1),
  });
  return { lines, given, outcome, usage: usageOf(counted), usageAfter: usageAfter(counted) };
}

describe('[E5] recorded lines of Claude Code', () => {
  test('cover three versions with the same cases', () => {
    const cases = (version: string) =>
      all.filter((name) => name.startsWith(version)).map((name) => name.split('/')[1]);
    const versions = [...new Set(all.map((name) => name.split('/')[0] ?? ''))].sort();
    expect(versions).toEqual(['2.1.112', '2.1.197', '2.1.325']);
    for (const version of versions) expect(cases(version)).toEqual(cases('2.1.325'));
  });

  test.each(all)('%s', async (name) => {
    const { lines, given, ...end } = understood(name);
    expect(lines.filter(({ type }) => type === 'unknown')).toEqual([]);
    for (const event of given) {
      if (event.kind !== 'event') continue;
      const schema = SESSION_EVENTS[event.type as keyof typeof SESSION_EVENTS];
      expect(schema.safeParse(event.payload)).toMatchObject({ success: true });
    }
    const text = JSON.stringify({ events: given, ...end }, null, 2);
    await expect(`${text}\n`).toMatchFileSnapshot(
      join(folder, name.replace('.jsonl', '.understood.json')),
    );
  });

  test.each(all.filter((name) => name.includes('http-529')))(
    '[Q15] [A4] HTTP 529 is overloaded: %s',
    (name) => {
      const { outcome } = understood(name);
      expect(outcome).toMatchObject({ kind: 'failed', error: { class: 'overloaded' } });
    },
  );

  test.each(['text', 'tools', 'denied', 'steered', 'http-401', 'usage-limit', 'lost'])(
    '%s is understood the same way in each version',
    (name) => {
      const shape = (version: string) => {
        const { given, outcome } = understood(`${version}/${name}.jsonl`);
        const kinds = given
          .filter(({ kind }) => kind !== 'notice')
          .map((event) => (event.kind === 'event' ? event.type : event.kind));
        const end = outcome.kind === 'failed' ? outcome.error.class : outcome.kind;
        return { kinds, end };
      };
      expect(shape('2.1.112')).toEqual(shape('2.1.325'));
      expect(shape('2.1.197')).toEqual(shape('2.1.325'));
    },
  );
});
