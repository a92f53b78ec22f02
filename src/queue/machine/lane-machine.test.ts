import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../contract/outcome.ts';
import { isTerminal } from '../../contract/run.ts';
import { LaneChange, type RunCore } from './lane-change.ts';
import * as machine from './lane-machine.ts';
import { newLane } from './new-lane.ts';
import { newRun } from './new-run.ts';
import { canMove } from './transition.ts';

const NOW = 1000;

const queuedRun = (id: string, position: number | null = 1024): RunCore =>
  newRun({ id, type: 'task', maxAttempts: 2, position, runAt: null });

const holder = { nodeId: 'node', host: 'host', fence: 1 };
const SUCCEEDED: Outcome = { kind: 'succeeded', result: null };

/** A lane with one run, advanced through the given steps. */
function lane(...steps: readonly ('take' | 'start' | 'ask')[]): {
  change: LaneChange;
  run: RunCore;
} {
  const change = new LaneChange(newLane('lane', 'ann'), NOW);
  const run = queuedRun('run');
  machine.admit(change, run);
  for (const step of steps) {
    if (step === 'take') machine.take(change, run, holder);
    else if (step === 'start') machine.start(change, run);
    else machine.ask(change, run);
  }
  return { change, run };
}

describe('the lane machine', () => {
  it('[Q8] an attempt that did not start cannot succeed, fail, park, commit an outcome or wait', () => {
    const error = { class: 'timeout', message: '' } as const;
    const outcomes: Outcome[] = [
      SUCCEEDED,
      { kind: 'failed', error },
      { kind: 'parked', until: 0, error },
      { kind: 'left_waiting' },
    ];
    for (const outcome of outcomes) {
      const { change, run } = lane('take');
      expect(() => machine.end(change, run, { outcome, retryDelayMs: 0 }), outcome.kind).toThrow();
    }
    const { change, run } = lane('take');
    expect(() => machine.commitOutcome(change, run, SUCCEEDED)).toThrow();
    expect(() => machine.ask(change, run)).toThrow();
  });

  it('[Q8] an attempt cannot start twice', () => {
    const { change, run } = lane('take', 'start');
    expect(() => machine.start(change, run)).toThrow();
  });

  it('[Q1] a lane that is running, asking, delayed, idle or held cannot be taken', () => {
    for (const state of ['idle', 'delayed', 'running', 'asking'] as const) {
      const { change, run } = lane();
      change.lane.state = state;
      expect(() => machine.take(change, run, holder), state).toThrow();
    }
    const { change, run } = lane();
    change.lane.held = true;
    expect(() => machine.take(change, run, holder)).toThrow();
  });

  it('[Q1] a lane with a begun run cannot take another', () => {
    const { change, run } = lane('take', 'start');
    machine.end(change, run, { outcome: { kind: 'handed_back', reason: '' }, retryDelayMs: 0 });
    const other = queuedRun('other', 2048);
    machine.admit(change, other);
    expect(() => machine.take(change, other, holder)).toThrow();
    machine.take(change, run, holder);
    expect(change.lane.runId).toBe('run');
  });

  it('[Q12] a run that leaves the queue gives up its position', () => {
    for (const leave of [
      machine.remove,
      (c: LaneChange, r: RunCore) => machine.cancel(c, r, 'stop'),
    ]) {
      const { change, run } = lane();
      leave(change, run);
      expect(run).toMatchObject({ state: 'cancelled', position: null });
      expect(change.lane).toMatchObject({ state: 'idle', queued: 0 });
    }
  });

  it('[Q12] a run without a position can be edited but not moved', () => {
    const change = new LaneChange(newLane('lane', ''), NOW);
    const run = { ...queuedRun('run', null), runAt: NOW + 1 };
    machine.admit(change, run);
    machine.edited(change, run);
    expect(() => machine.moved(change, run, 1)).toThrow();
    expect(change.lane.queued).toBe(0);
  });

  it('[Q8] an answer is dropped if the attempt ends without using it', () => {
    const { change, run } = lane('take', 'start', 'ask');
    machine.answer(change, run);
    const error = { class: 'timeout', message: '' } as const;
    machine.end(change, run, { outcome: { kind: 'failed', error }, retryDelayMs: 5 });
    expect(change.lane).toMatchObject({ state: 'delayed', answeredAt: null, readyAt: NOW + 5 });
  });

  const STEPS = {
    admit: (c: LaneChange, _r: RunCore, n: number) => machine.admit(c, queuedRun(`r${n}`, n * 8)),
    join: (c: LaneChange, _r: RunCore, n: number) => {
      const late = queuedRun(`r${n}`, null);
      machine.admit(c, late);
      machine.joinWhenDue(c, late, n * 8);
    },
    take: (c: LaneChange, r: RunCore, n: number) => machine.take(c, r, { ...holder, fence: n }),
    start: machine.start,
    ask: machine.ask,
    answer: machine.answer,
    retake: machine.retake,
    commitOutcome: (c: LaneChange, r: RunCore) => machine.commitOutcome(c, r, SUCCEEDED),
    succeed: ending(SUCCEEDED),
    fail: ending({ kind: 'failed', error: { class: 'timeout', message: '' } }),
    failForGood: ending({ kind: 'failed', error: { class: 'auth_failed', message: '' } }),
    giveUp: ending({ kind: 'cancelled' }),
    handBack: ending({ kind: 'handed_back', reason: '' }),
    park: ending({ kind: 'parked', until: NOW, error: { class: 'usage_limit', message: '' } }),
    leave: ending({ kind: 'left_waiting' }),
    crash: machine.crash,
    stop: (c: LaneChange, r: RunCore) => machine.cancel(c, r, 'stop'),
    interrupt: (c: LaneChange, r: RunCore) => machine.cancel(c, r, 'interrupt'),
    hold: (c: LaneChange) => machine.hold(c, 'asked'),
    resume: machine.resume,
    wake: machine.wakeDelayed,
  };
  /** Steps that only a worker, under its fence, or a takeover may take. */
  const HELD = [
    'start',
    'ask',
    'commitOutcome',
    'succeed',
    'fail',
    'failForGood',
    'giveUp',
    'handBack',
    'park',
    'leave',
    'crash',
  ];

  it('[Q1] [Q8] [E1] any sequence of steps leaves the lane consistent', () => {
    const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
    const story = fc.array(fc.constantFrom(...names, 'take', 'start', 'admit'), { maxLength: 60 });
    fc.assert(
      fc.property(story, fc.boolean(), (steps, holdOnFailure) => {
        let row = { ...newLane('lane', 'ann'), holdOnFailure };
        const runs = new Map<string, RunCore>();
        for (const [n, step] of steps.entries()) {
          const change = new LaneChange(row, NOW);
          const queued = [...runs.values()].filter(
            (r) => r.state === 'queued' && r.id !== row.runId,
          );
          queued.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
          const before = runs.get(row.runId ?? '') ?? queued[0];
          if (before === undefined && !['admit', 'join', 'hold', 'resume'].includes(step)) continue;
          if (HELD.includes(step) && row.nodeId === null) continue;
          if (step === 'wake' && row.state !== 'delayed') continue;
          if (step === 'retake' && row.answeredAt === null) continue;
          try {
            STEPS[step](change, { ...(before ?? queuedRun('none')) }, n + 1);
          } catch {
            continue;
          }
          for (const { run, from } of change.runs.values()) {
            if (from !== null && from !== run.state) expect(canMove(from, run.state)).toBe(true);
            runs.set(run.id, run);
          }
          expect(change.events.map(({ seq }) => seq)).toEqual(
            change.events.map((_, i) => row.nextSeq + i),
          );
          row = change.lane;
          expectConsistent(row, runs);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function ending(outcome: Outcome) {
  return (change: LaneChange, run: RunCore) =>
    machine.end(change, run, { outcome, retryDelayMs: 5 });
}

/** The same rules that the databases enforce with constraints. */
function expectConsistent(row: LaneChange['lane'], runs: ReadonlyMap<string, RunCore>): void {
  const all = [...runs.values()];
  const waiting = all.filter((r) => r.state === 'queued' && r.id !== row.runId);
  expect(row.queued).toBe(waiting.length);
  expect(row.nodeId === null).toBe(row.fence === 0);
  const begun = all.filter((r) => !isTerminal(r.state) && r.state !== 'queued');
  expect(begun.every((r) => r.id === row.runId)).toBe(true);
  const run = runs.get(row.runId ?? '');
  expect(run === undefined || !isTerminal(run.state)).toBe(true);
  if (row.state === 'idle') expect([row.runId, row.queued]).toEqual([null, 0]);
  if (row.state === 'running') expect(['dequeued', 'running']).toContain(run?.state);
  if (row.state === 'asking') expect(run?.state).toBe('waiting');
  if (row.state === 'delayed') expect(run?.state).toBe('retry_scheduled');
  if (row.state !== 'running' && row.state !== 'asking') expect(row.nodeId).toBeNull();
  for (const one of all) {
    expect(one.attempts).toBeGreaterThanOrEqual(0);
    expect(one.finishedAt !== null).toBe(isTerminal(one.state));
    expect(one.lastSeq !== null).toBe(isTerminal(one.state));
  }
}
