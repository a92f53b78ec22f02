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

test('a sound story breaks no rule', () => {
  expect(check(soundEvidence() as Evidence)).toEqual([]);
});

describe('each rule finds what is planted', () => {
  const plants: Record<string, (evidence: Mutable<Evidence>) => void> = {
    gap: (it) => it.events.splice(3, 1),
    'double-done': (it) => {
      const done = eventOf(it, 'b', 'done');
      insertAfter(it.events, done, { ...done, seq: done.seq + 1 });
    },
    'after-done': (it) => {
      const done = eventOf(it, 'b', 'done');
      const late = { ...eventOf(it, 'b', 'step.mark'), committedAt: done.committedAt };
      insertAfter(it.events, done, { ...late, seq: done.seq + 1 });
    },
    done: (it) => {
      eventOf(it, 'a', 'done').payload = { state: 'failed' };
    },
    state: (it) => {
      eventOf(it, 'a', 'run.start').type = 'run.waiting';
    },
    attempts: (it) => {
      runOf(it, 'a').attempts = 2;
    },
    log: (it) => {
      runOf(it, 'a').state = 'failed';
    },
    fence: (it) => {
      eventOf(it, 'a', 'step.mark').payload['node'] = 'stale';
    },
    order: (it) => {
      runOf(it, 'b').position = 1;
    },
    held: (it) => {
      const before = eventOf(it, 'a', 'run.dequeued');
      it.events.unshift({ ...before, runId: null, attempt: null, type: 'session.held', seq: 0 });
    },
    'too-early': (it) => {
      runOf(it, 'a').runAt = 5_000_000;
    },
    'event-twice': (it) => {
      eventOf(it, 'b', 'step.mark').payload['mark'] = 'mark-a';
    },
    'event-lost': (it) => {
      recordOf(it, 'a', 'stored').mark = 'never stored';
    },
    cap: (it) => {
      it.caps.types['step'] = 0;
    },
    overlap: (it) => {
      recordOf(it, 'a', 'end').at = 350;
    },
    'no-lease': (it) => {
      recordOf(it, 'b', 'start').at = 2500;
    },
    unfinished: (it) => {
      it.records.splice(it.records.indexOf(recordOf(it, 't2', 'end')), 1);
    },
    unclaimed: (it) => {
      recordOf(it, 'a', 'start').attempt = 2;
    },
    'not-executed': (it) => {
      it.records = it.records.filter(({ run }) => run !== 'a');
    },
    lost: (it) => {
      it.runs = it.runs.filter(({ id }) => id !== 'a');
    },
    host: (it) => {
      it.lanes.find(({ id }) => id === 'l')!.host = 'two';
    },
    batch: (it) => {
      it.requests[1]!.acknowledged = [];
      runOf(it, 'b').request = null;
    },
    twice: (it) => {
      runOf(it, 'b').request = 0;
    },
    unknown: (it) => {
      runOf(it, 't1').request = 99;
    },
    idempotency: (it) => {
      it.requests[0]!.acknowledged[1] = 'b';
    },
    unended: (it) => {
      runOf(it, 'a').state = 'retry_scheduled';
    },
    counts: (it) => {
      it.counts['succeeded'] = 5;
    },
    'dead-node': (it) => {
      it.nodesBeforeStop.push('dead');
    },
    exit: (it) => {
      it.processes[0]!.exit = '1';
    },
    error: (it) => {
      it.errors.push('unexpected');
    },
    reader: (it) => {
      it.readers[1]!.splice(4, 1);
    },
    'tick-twice': (it) => {
      eventOf(it, 't2', 'run.queued').payload['tick'] = {
        schedule: 'every',
        at: 1_000_000,
        missed: false,
      };
    },
    'tick-lost': (it) => {
      eventOf(it, 't2', 'run.queued').payload['tick'] = {
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

describe('what is no violation', () => {
  test('an execution of a stopped process that goes on after its lease, beside the next one', () => {
    const stopped = rulesBroken((it) => {
      it.records.unshift(
        { what: 'lease', at: 0, wall: 0, pid: 8, node: 'm', until: 90 },
        { ...recordOf(it, 'a', 'start'), pid: 8, node: 'm', until: 90, at: 50, execution: 1 },
        { ...recordOf(it, 'a', 'end'), pid: 8, node: 'm', until: null, at: 150, execution: 1 },
      );
      const first = eventOf(it, 'a', 'run.dequeued');
      const at = it.events.indexOf(first);
      const restarted = { ...first, type: 'run.restarted', payload: { crashes: 1 } };
      it.events.splice(at, 0, { ...first, payload: { node: 'm' } }, restarted);
      for (const [i, event] of it.events.filter(({ lane }) => lane === 'l').entries()) {
        event.seq = i + 1;
      }
      it.lanes.find(({ id }) => id === 'l')!.nextSeq += 2;
      for (const id of ['a', 'b']) runOf(it, id).lastSeq! += 2;
      runOf(it, 'a').crashes = 1;
      it.readers = [];
    });
    expect(stopped).toEqual([]);
  });

  test('a killed process that wrote no end', () => {
    const killed = rulesBroken((it) => {
      it.records.splice(it.records.indexOf(recordOf(it, 't2', 'end')), 1);
      it.processes[0] = { pid: 7, host: 'one', killedAt: 605, exit: null };
    });
    expect(killed).toEqual([]);
  });

  test('a tick that stands for missed ones', () => {
    const missed = rulesBroken((it) => {
      const [one, two] = [eventOf(it, 't1', 'run.queued'), eventOf(it, 't2', 'run.queued')];
      one.at = 1_004_500;
      one.payload['tick'] = { schedule: 'every', at: 1_000_000, missed: true };
      two.payload['tick'] = { schedule: 'every', at: 1_005_000, missed: false };
      it.schedules[0]!.lastAt = 1_005_000;
    });
    expect(missed).toEqual([]);
  });
});
