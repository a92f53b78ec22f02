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

test('chaos over the API says how it is used', async () => {
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
const linesOf = (it: Mutable<Evidence>): string[] => it.traces[0]!.lines;
const find = (it: Mutable<Evidence>, type: string, runId: string | null) =>
  it.events.find((event) => event.type === type && event.runId === runId)!;

const PLANTS: readonly (readonly [rule: string, what: string, plant: Plant])[] = [
  ['lost', 'a run is gone', (it) => it.runs.pop()],
  ['lost', 'a session is gone', (it) => it.acknowledgedSessions.push('t')],
  ['twice', 'two runs for one message', (it) => it.requests[0]!.acknowledged.push('b')],
  ['twice', 'two rows under one key', (it) => (it.runs[1]!.idemKey = 'key-0')],
  ['unknown', 'a run nobody asked for', (it) => (it.runs[1]!.idemKey = 'key-9')],
  ['unended', 'a run still runs', (it) => (it.runs[1]!.state = 'running')],
  ['gap', 'a missing event', (it) => it.events.splice(4, 1)],
  ['gap', 'a row that counts otherwise', (it) => it.sessions[0]!.nextSeq++],
  ['log', 'a run without events', (it) => it.runs.push({ ...it.runs[0]!, id: 'c', idemKey: null })],
  ['done', 'no done', (it) => (find(it, 'done', 'a').type = 'run.progress')],
  ['done', 'another end', (it) => (find(it, 'done', 'a').payload = { state: 'failed' })],
  ['after-done', 'an event behind the done', (it) => (it.events.at(-1)!.runId = 'a')],
  ['order', 'a place before that of another', (it) => (it.runs[1]!.position = 1)],
  ['order', 'the later one first', (it) => (it.runs[1]!.firstSeq = 1)],
  ['order', 'executed in another order', (it) => linesOf(it).reverse()],
  ['output', 'a piece is missing', (it) => (find(it, 'agent.delta', 'b').type = 'agent.notice')],
  ['output', 'another message', (it) => (find(it, 'agent.message', 'b').payload = { text: '' })],
  ['overlap', 'the lock was taken', (it) => linesOf(it).splice(3, 0, 'overlap i:m:b:1')],
  ['overlap', 'an end within another', (it) => linesOf(it).push('end i:n:b:2')],
  ['executed', 'more often than claimed', (it) => linesOf(it).unshift('start i:n:a:0')],
  ['executed', 'no end of a success', (it) => linesOf(it).pop()],
  ['executed', 'by another installation', (it) => (it.installation = 'j')],
  ['status', 'a row that says otherwise', (it) => (it.sessions[0]!.status = 'IDLE')],
  ['status', 'a way that does not exist', (it) => (it.events[1]!.payload['to'] = 'IDLE')],
  ['status', 'from another state', (it) => (it.events[1]!.payload['from'] = 'ERROR')],
  ['connections', 'wrong at the end', (it) => (it.sessions[0]!.lastConnections = 1)],
  ['connections', 'wrong by the API', (it) => it.miscounted.push('s')],
  ['connections', 'a row is left', (it) => it.connections.push('c')],
  ['reader', 'an event twice', (it) => it.readers[0]!.seen.splice(3, 0, it.readers[0]!.seen[3]!)],
  ['reader', 'an event missed', (it) => it.readers[0]!.seen.splice(3, 1)],
  ['reader', 'another event', (it) => (it.readers[0]!.seen[3]!.digest = 'other')],
  ['reader', 'not to the end', (it) => it.readers[0]!.seen.splice(5)],
  ['leftover', 'a process is left', (it) => it.leftovers.push('1: sleep')],
  ['dead-node', 'a node is left', (it) => it.nodes.push('n')],
  ['exit', 'a bad end', (it) => (it.servers[1]!.exit = '1')],
  ['exit', 'an end nobody asked for', (it) => it.servers[1]!.asked.pop()],
  ['error', 'an answer nobody should get', (it) => it.errors.push('500')],
];

describe('the checker of chaos over the API', () => {
  test('finds nothing in a sound story', () => {
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
    const found = check(evidence as Evidence).filter(({ rule }) => rule === 'status');
    expect(found[0]?.evidence).toContain('has 2 runs');
  });
});
