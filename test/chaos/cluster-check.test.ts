import { describe, expect, test } from 'vitest';
import { check } from '../../chaos/cluster/check/check.ts';
import type { ClusterEvidence } from '../../chaos/cluster/check/evidence.ts';
import { foreignIn, markerOf } from '../../chaos/cluster/people.ts';
import { soundEvidence } from './sound-api-evidence.ts';
import type { Mutable } from './sound-evidence.ts';

/** The sound evidence of one server, extended for a cluster: two workers with one slot each. */
function soundCluster(): Mutable<ClusterEvidence> {
  const story = soundEvidence();
  const seen = story.events.filter(({ runId }) => runId === 'a');
  return {
    ...story,
    cap: 2,
    trace: [
      'start i:n:a:1 7',
      'start i:m:x:1 8',
      'end i:m:x:1',
      'end i:n:a:1',
      'start i:n:b:2 7',
      'start i:m:y:1 8',
      'cut 7',
      'start i:m:z:1 8',
      'end i:n:b:2',
      'start i:m:never:1 8',
      'end i:m:y:1',
      'end i:m:z:1',
    ],
    runReaders: [{ run: 'a', seen: seen.map(({ seq, type, digest }) => ({ seq, type, digest })) }],
    hints: [{ person: 'aki', known: { s: story.events.length }, own: ['s'], shared: [] }],
    audit: [
      { seq: 1, userId: 'u', action: 'session.create', target: 's' },
      { seq: 2, userId: 'u', action: 'message.send', target: 's' },
      { seq: 3, userId: 'u', action: 'message.send', target: 's' },
      { seq: 4, userId: 'u', action: 'run.cancel', target: 'b' },
    ],
    changes: [
      { action: 'session.create', target: 's', least: 1, most: 1 },
      { action: 'run.cancel', target: 'b', least: 1, most: 2 },
    ],
    liveNodes: [{ pid: 7 }, { pid: 8 }],
    livePids: [8, 7],
    connectionRows: 3,
    openStreams: 3,
    taken: [10, 11],
  };
}

type Plant = (evidence: Mutable<ClusterEvidence>) => void;

const PLANTS: readonly (readonly [rule: string, what: string, plant: Plant])[] = [
  [
    'cap',
    'a third execution',
    (evidence) => evidence.trace.splice(2, 0, 'start i:k:z:9 9', 'end i:k:z:9'),
  ],
  ['cap', 'an execution whose worker was not cut', (evidence) => (evidence.trace[6] = 'cut 9')],
  [
    'run-reader',
    'an event twice',
    (evidence) => evidence.runReaders[0]!.seen.push(evidence.runReaders[0]!.seen[0]!),
  ],
  ['run-reader', 'an event missed', (evidence) => evidence.runReaders[0]!.seen.splice(1, 1)],
  ['run-reader', 'missing the end', (evidence) => evidence.runReaders[0]!.seen.pop()],
  ['hint', 'behind at the end', (evidence) => (evidence.hints[0]!.known['s'] = 1)],
  ['hint', 'no hint at all', (evidence) => delete evidence.hints[0]!.known['s']],
  [
    'foreign',
    'a hint about another user’s session',
    (evidence) => (evidence.hints[0]!.known['t'] = 1),
  ],
  ['audit', 'a change without a line', (evidence) => evidence.audit.pop()],
  ['audit', 'a creation twice', (evidence) => evidence.audit.push(evidence.audit[0]!)],
  [
    'audit',
    'a retry without a line',
    (evidence) => evidence.runs.push({ ...evidence.runs[0]!, id: 'c', retryOf: 'a' }),
  ],
  ['audit', 'a message without a line', (evidence) => evidence.audit.splice(1, 1)],
  [
    'audit',
    'a repeated message with a line',
    (evidence) => evidence.audit.push(evidence.audit[1]!),
  ],
  ['nodes', 'a dead node is left', (evidence) => evidence.liveNodes.push({ pid: 9 })],
  ['nodes', 'a live node is missing', (evidence) => evidence.liveNodes.pop()],
  ['connections', 'a row too many', (evidence) => evidence.connectionRows++],
  ['proxy', 'one node took nothing', (evidence) => (evidence.taken[1] = 0)],
  ['reader', 'a rule for a single server', (evidence) => evidence.readers[0]!.seen.splice(3, 1)],
];

describe('the checker for chaos over a cluster', () => {
  test('accepts sound evidence', () => {
    expect(check(soundCluster() as ClusterEvidence)).toEqual([]);
  });

  test.each(PLANTS)('%s: %s', (rule, _what, plant) => {
    const evidence = soundCluster();
    plant(evidence);
    expect(check(evidence as ClusterEvidence).map((violation) => violation.rule)).toContain(rule);
  });

  test('[X3] another user’s session is recognised by its marker', () => {
    const text = `{"name":"${markerOf('aki', 'ben')}7","message":"# ${markerOf('ben', null)}"}`;
    expect(foreignIn(text, 'ben')).toBe(null);
    expect(foreignIn(text, 'aki')).toBe('seen-by-ben-nobody-');
    expect(foreignIn(text, 'chie')).toBe('seen-by-aki-ben-');
  });
});
