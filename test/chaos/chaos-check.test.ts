import { describe, expect, test } from 'vitest';
import { check } from '../../chaos/check/check.ts';
import type { Evidence } from '../../chaos/check/evidence.ts';
import { type Mutable, soundEvidence } from './sound-evidence.ts';

const rulesBroken = (plant: (evidence: Mutable<Evidence>) => void): string[] => {
  const evidence = soundEvidence();
  plant(evidence);
  return [...new Set(check(evidence as Evidence).map(({ rule }) => rule))];
};

const eventOf = ({ events }: Mutable<Evidence>, runId: string, type: string) =>
  events.find((event) => event.runId === runId && event.type === type)!;
const runOf = ({ runs }: Mutable<Evidence>, id: string) => runs.find((run) => run.id === id)!;
const recordOf = ({ records }: Mutable<Evidence>, run: string, what: string) =>
  records.find((record) => record.run === run && record.what === what)!;
const insertAfter = <T>(list: T[], item: T, ...more: T[]): void => {
  list.splice(list.indexOf(item) + 1, 0, ...more);
};

test('sound evidence breaks no rule', () => {
  expect(check(soundEvidence() as Evidence)).toEqual([]);
});

describe('each rule detects a planted violation', () => {
  const plants: Record<string, (evidence: Mutable<Evidence>) => void> = {
    gap: (evidence) => evidence.events.splice(3, 1),
    'double-done': (evidence) => {
      const done = eventOf(evidence, 'b', 'done');
      insertAfter(evidence.events, done, { ...done, seq: done.seq + 1 });
    },
    'after-done': (evidence) => {
      const done = eventOf(evidence, 'b', 'done');
      const late = { ...eventOf(evidence, 'b', 'step.mark'), committedAt: done.committedAt };
      insertAfter(evidence.events, done, { ...late, seq: done.seq + 1 });
    },
    done: (evidence) => {
      eventOf(evidence, 'a', 'done').payload = { state: 'failed' };
    },
    state: (evidence) => {
      eventOf(evidence, 'a', 'run.start').type = 'run.waiting';
    },
    attempts: (evidence) => {
      runOf(evidence, 'a').attempts = 2;
    },
    log: (evidence) => {
      runOf(evidence, 'a').state = 'failed';
    },
    fence: (evidence) => {
      eventOf(evidence, 'a', 'step.mark').payload['node'] = 'stale';
    },
    order: (evidence) => {
      runOf(evidence, 'b').position = 1;
    },
    held: (evidence) => {
      const before = eventOf(evidence, 'a', 'run.dequeued');
      evidence.events.unshift({
        ...before,
        runId: null,
        attempt: null,
        type: 'session.held',
        seq: 0,
      });
    },
    'too-early': (evidence) => {
      runOf(evidence, 'a').runAt = 5_000_000;
    },
    'event-twice': (evidence) => {
      eventOf(evidence, 'b', 'step.mark').payload['mark'] = 'mark-a';
    },
    'event-lost': (evidence) => {
      recordOf(evidence, 'a', 'stored').mark = 'never stored';
    },
    cap: (evidence) => {
      evidence.caps.types['step'] = 0;
    },
    overlap: (evidence) => {
      recordOf(evidence, 'a', 'end').at = 350;
    },
    'no-lease': (evidence) => {
      recordOf(evidence, 'b', 'start').at = 2500;
    },
    unfinished: (evidence) => {
      evidence.records.splice(evidence.records.indexOf(recordOf(evidence, 't2', 'end')), 1);
    },
    unclaimed: (evidence) => {
      recordOf(evidence, 'a', 'start').attempt = 2;
    },
    'not-executed': (evidence) => {
      evidence.records = evidence.records.filter(({ run }) => run !== 'a');
    },
    lost: (evidence) => {
      evidence.runs = evidence.runs.filter(({ id }) => id !== 'a');
    },
    host: (evidence) => {
      evidence.lanes.find(({ id }) => id === 'l')!.host = 'two';
    },
    batch: (evidence) => {
      evidence.requests[1]!.acknowledged = [];
      runOf(evidence, 'b').request = null;
    },
    twice: (evidence) => {
      runOf(evidence, 'b').request = 0;
    },
    unknown: (evidence) => {
      runOf(evidence, 't1').request = 99;
    },
    idempotency: (evidence) => {
      evidence.requests[0]!.acknowledged[1] = 'b';
    },
    unended: (evidence) => {
      runOf(evidence, 'a').state = 'retry_scheduled';
    },
    counts: (evidence) => {
      evidence.counts['succeeded'] = 5;
    },
    'dead-node': (evidence) => {
      evidence.nodesBeforeStop.push('dead');
    },
    exit: (evidence) => {
      evidence.processes[0]!.exit = '1';
    },
    error: (evidence) => {
      evidence.errors.push('unexpected');
    },
    reader: (evidence) => {
      evidence.readers[1]!.splice(4, 1);
    },
    'tick-twice': (evidence) => {
      eventOf(evidence, 't2', 'run.queued').payload['tick'] = {
        schedule: 'every',
        at: 1_000_000,
        missed: false,
      };
    },
    'tick-lost': (evidence) => {
      eventOf(evidence, 't2', 'run.queued').payload['tick'] = {
        schedule: 'every',
        at: 1_005_000,
        missed: false,
      };
    },
  };
  for (const [rule, plant] of Object.entries(plants)) {
    test(rule, () => expect(rulesBroken(plant)).toContain(rule));
  }
});

describe('not a violation', () => {
  test('an execution of a stopped process that continues after its lease, beside the next one', () => {
    const stopped = rulesBroken((evidence) => {
      evidence.records.unshift(
        { what: 'lease', at: 0, wall: 0, pid: 8, node: 'm', until: 90 },
        { ...recordOf(evidence, 'a', 'start'), pid: 8, node: 'm', until: 90, at: 50, execution: 1 },
        {
          ...recordOf(evidence, 'a', 'end'),
          pid: 8,
          node: 'm',
          until: null,
          at: 150,
          execution: 1,
        },
      );
      const first = eventOf(evidence, 'a', 'run.dequeued');
      const at = evidence.events.indexOf(first);
      const restarted = { ...first, type: 'run.restarted', payload: { crashes: 1 } };
      evidence.events.splice(at, 0, { ...first, payload: { node: 'm' } }, restarted);
      for (const [i, event] of evidence.events.filter(({ lane }) => lane === 'l').entries()) {
        event.seq = i + 1;
      }
      evidence.lanes.find(({ id }) => id === 'l')!.nextSeq += 2;
      for (const id of ['a', 'b']) runOf(evidence, id).lastSeq! += 2;
      runOf(evidence, 'a').crashes = 1;
      evidence.readers = [];
    });
    expect(stopped).toEqual([]);
  });

  test('a killed process that wrote no end', () => {
    const killed = rulesBroken((evidence) => {
      evidence.records.splice(evidence.records.indexOf(recordOf(evidence, 't2', 'end')), 1);
      evidence.processes[0] = { pid: 7, host: 'one', killedAt: 605, exit: null };
    });
    expect(killed).toEqual([]);
  });

  test('a tick that stands for missed ones', () => {
    const missed = rulesBroken((evidence) => {
      const [one, two] = [
        eventOf(evidence, 't1', 'run.queued'),
        eventOf(evidence, 't2', 'run.queued'),
      ];
      one.at = 1_004_500;
      one.payload['tick'] = { schedule: 'every', at: 1_000_000, missed: true };
      two.payload['tick'] = { schedule: 'every', at: 1_005_000, missed: false };
      evidence.schedules[0]!.lastAt = 1_005_000;
    });
    expect(missed).toEqual([]);
  });
});
