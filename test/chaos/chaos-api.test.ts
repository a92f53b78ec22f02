import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../chaos/api/check/check.ts';
import type { Evidence } from '../../chaos/api/check/evidence.ts';
import { root, start } from '../support/processes.ts';
import { soundEvidence } from './sound-api-evidence.ts';
import type { Mutable } from './sound-evidence.ts';

const main = join(root, 'chaos', 'main.ts');

test('[E3] [Q1] [Q7] [Q9] [Q12] [Q20] [Q22] [A9] [S3] 7 s of chaos over the API of two servers break no rule', async () => {
  const args = [main, 'api', '--seconds', '7', '--seed', '3'];
  const program = start(process.execPath, args);
  const { code } = await program.exit;
  expect(program.stdout() + program.stderr()).toMatch(/ 0 violations\n$/);
  expect(code).toBe(0);
}, 420_000);

test('chaos over the API prints its usage', async () => {
  for (const args of [
    ['api', '--database', 'other'],
    ['api', '--seconds', '0'],
    ['queue', '--database', 'sqlite'],
  ]) {
    const program = start(process.execPath, [main, ...args]);
    expect((await program.exit).code, args.join(' ')).toBe(2);
    expect(program.stderr()).toContain('npm run chaos -- api');
  }
});

type Plant = (evidence: Mutable<Evidence>) => void;
const linesOf = (evidence: Mutable<Evidence>): string[] => evidence.traces[0]!.lines;
const find = (evidence: Mutable<Evidence>, type: string, runId: string | null) =>
  evidence.events.find((event) => event.type === type && event.runId === runId)!;

const PLANTS: readonly (readonly [rule: string, what: string, plant: Plant])[] = [
  ['lost', 'a run is gone', (evidence) => evidence.runs.pop()],
  ['lost', 'a session is gone', (evidence) => evidence.acknowledgedSessions.push('t')],
  ['twice', 'two runs for one message', (evidence) => evidence.requests[0]!.acknowledged.push('b')],
  ['twice', 'two rows under one key', (evidence) => (evidence.runs[1]!.idemKey = 'key-0')],
  ['unknown', 'a run without a request', (evidence) => (evidence.runs[1]!.idemKey = 'key-9')],
  ['unended', 'a run still runs', (evidence) => (evidence.runs[1]!.state = 'running')],
  ['gap', 'a missing event', (evidence) => evidence.events.splice(4, 1)],
  ['gap', 'a row with another count', (evidence) => evidence.sessions[0]!.nextSeq++],
  [
    'log',
    'a run without events',
    (evidence) => evidence.runs.push({ ...evidence.runs[0]!, id: 'c', idemKey: null }),
  ],
  ['done', 'no done', (evidence) => (find(evidence, 'done', 'a').type = 'run.progress')],
  [
    'done',
    'another end',
    (evidence) => (find(evidence, 'done', 'a').payload = { state: 'failed' }),
  ],
  ['after-done', 'an event after the done', (evidence) => (evidence.events.at(-1)!.runId = 'a')],
  [
    'order',
    'a position before that of an earlier run',
    (evidence) => (evidence.runs[1]!.position = 1),
  ],
  ['order', 'the later run first', (evidence) => (evidence.runs[1]!.firstSeq = 1)],
  ['order', 'executed in another order', (evidence) => linesOf(evidence).reverse()],
  [
    'output',
    'a piece is missing',
    (evidence) => (find(evidence, 'agent.delta', 'b').type = 'agent.notice'),
  ],
  [
    'output',
    'another message',
    (evidence) => (find(evidence, 'agent.message', 'b').payload = { text: '' }),
  ],
  [
    'overlap',
    'the lock was taken',
    (evidence) => linesOf(evidence).splice(3, 0, 'overlap i:m:b:1'),
  ],
  ['overlap', 'an end within another', (evidence) => linesOf(evidence).push('end i:n:b:2')],
  ['executed', 'more often than claimed', (evidence) => linesOf(evidence).unshift('start i:n:a:0')],
  ['executed', 'a success without an end', (evidence) => linesOf(evidence).pop()],
  ['executed', 'by another installation', (evidence) => (evidence.installation = 'j')],
  ['status', 'a row with another state', (evidence) => (evidence.sessions[0]!.status = 'IDLE')],
  ['status', 'an illegal transition', (evidence) => (evidence.events[1]!.payload['to'] = 'IDLE')],
  ['status', 'from another state', (evidence) => (evidence.events[1]!.payload['from'] = 'ERROR')],
  ['connections', 'wrong at the end', (evidence) => (evidence.sessions[0]!.lastConnections = 1)],
  ['connections', 'wrong in the API', (evidence) => evidence.miscounted.push('s')],
  ['connections', 'a row is left', (evidence) => evidence.connections.push('c')],
  [
    'reader',
    'an event twice',
    (evidence) => evidence.readers[0]!.seen.splice(3, 0, evidence.readers[0]!.seen[3]!),
  ],
  ['reader', 'an event missed', (evidence) => evidence.readers[0]!.seen.splice(3, 1)],
  ['reader', 'another event', (evidence) => (evidence.readers[0]!.seen[3]!.digest = 'other')],
  ['reader', 'missing the end', (evidence) => evidence.readers[0]!.seen.splice(5)],
  ['leftover', 'a process is left', (evidence) => evidence.leftovers.push('1: sleep')],
  ['dead-node', 'a node is left', (evidence) => evidence.nodes.push('n')],
  ['exit', 'a bad exit code', (evidence) => (evidence.servers[1]!.exit = '1')],
  ['exit', 'an unrequested exit', (evidence) => evidence.servers[1]!.asked.pop()],
  ['error', 'an undocumented answer', (evidence) => evidence.errors.push('500')],
];

describe('the checker for chaos over the API', () => {
  test('accepts sound evidence', () => {
    expect(check(soundEvidence() as Evidence)).toEqual([]);
  });

  test.each(PLANTS)('%s: %s', (rule, _what, plant) => {
    const evidence = soundEvidence();
    plant(evidence);
    const rules = check(evidence as Evidence).map((violation) => violation.rule);
    expect(rules).toContain(rule);
  });

  test('a session that goes idle while a run is queued', () => {
    const evidence = soundEvidence();
    const at = evidence.events.findIndex(({ type }) => type === 'run.dequeued');
    const event = { ...evidence.events[1]!, seq: at };
    event.payload = { from: 'ACTIVE', to: 'IDLE', reason: 'quiet' };
    evidence.events.splice(at, 0, event);
    const violations = check(evidence as Evidence).filter(({ rule }) => rule === 'status');
    expect(violations[0]?.evidence).toContain('has 2 runs');
  });
});
