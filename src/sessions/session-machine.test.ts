import { describe, expect, it, test } from 'vitest';
import { SessionStatus, type StatusReason } from '../contract/session.ts';
import {
  move,
  nextStatus,
  READY_GRACE_MS,
  type Standing,
  sessionDiagram,
  type Trigger,
  withTimer,
} from './session-machine.ts';

const NOW = Date.UTC(2026, 0, 1);
const CALM = { now: NOW, unfinishedRuns: 0, connections: 0 };

/** The fields of a session with that status, long after it became ready. */
function standing(status: SessionStatus, statusReason: StatusReason = 'asked'): Standing {
  const ready = status === 'ACTIVE' || status === 'IDLE';
  const idle = status === 'IDLE';
  return {
    status,
    statusReason,
    error: status === 'ERROR' ? 'why' : null,
    readyAt: ready ? NOW - READY_GRACE_MS : null,
    idleSince: idle ? NOW - 30_000 : null,
    destroyAt: idle ? NOW : null,
    idleTimeoutSeconds: 30,
  };
}

/** The transitions of the rule, written out again; `busy` and `ended` are tested separately. */
const ALLOWED: Record<Trigger, Partial<Record<SessionStatus, SessionStatus>>> = {
  ready: { PENDING: 'ACTIVE', ACTIVE: 'ACTIVE', ERROR: 'ACTIVE' },
  fail: { PENDING: 'ERROR', ACTIVE: 'ERROR', IDLE: 'ERROR' },
  message: { PENDING: 'PENDING', ACTIVE: 'ACTIVE', IDLE: 'ACTIVE', ERROR: 'PENDING' },
  connected: {
    PENDING: 'PENDING',
    ACTIVE: 'ACTIVE',
    IDLE: 'ACTIVE',
    ERROR: 'ERROR',
    COMPLETED: 'COMPLETED',
    TERMINATED: 'TERMINATED',
  },
  quiet: {
    PENDING: 'PENDING',
    ACTIVE: 'IDLE',
    IDLE: 'IDLE',
    ERROR: 'ERROR',
    COMPLETED: 'COMPLETED',
    TERMINATED: 'TERMINATED',
  },
  expire: {
    PENDING: 'PENDING',
    ACTIVE: 'ACTIVE',
    IDLE: 'TERMINATED',
    ERROR: 'ERROR',
    COMPLETED: 'COMPLETED',
    TERMINATED: 'TERMINATED',
  },
  complete: { PENDING: 'COMPLETED', ACTIVE: 'COMPLETED', IDLE: 'COMPLETED', ERROR: 'COMPLETED' },
  terminate: {
    PENDING: 'TERMINATED',
    ACTIVE: 'TERMINATED',
    IDLE: 'TERMINATED',
    ERROR: 'TERMINATED',
    COMPLETED: 'TERMINATED',
  },
  orphan: {
    PENDING: 'TERMINATED',
    ACTIVE: 'TERMINATED',
    IDLE: 'TERMINATED',
    ERROR: 'TERMINATED',
  },
  reopen: { COMPLETED: 'PENDING', TERMINATED: 'PENDING' },
  retry: { ERROR: 'PENDING' },
};

describe('the states of a session', () => {
  for (const [trigger, arrows] of Object.entries(ALLOWED) as [
    Trigger,
    (typeof ALLOWED)[Trigger],
  ][]) {
    it(`[S1] ${trigger} leads to the status in the rule, and is refused elsewhere`, () => {
      for (const status of SessionStatus.options) {
        const to = arrows[status];
        const next = () => nextStatus(standing(status), trigger, CALM);
        if (to !== undefined) expect(next(), status).toBe(to);
        else expect(next, status).toThrow(trigger === 'message' ? /Reopen/ : /status/);
      }
    });
  }

  it("[S1] a session's fields follow from its status, whatever led there", () => {
    for (const status of SessionStatus.options) {
      for (const trigger of Object.keys(ALLOWED) as Trigger[]) {
        if (ALLOWED[trigger][status] === undefined) continue;
        const after = move(standing(status), trigger, CALM, 'broken');
        if (after === null) continue;
        expect(after.readyAt !== null).toBe(after.status === 'ACTIVE' || after.status === 'IDLE');
        expect(after.idleSince !== null).toBe(after.status === 'IDLE');
        expect(after.destroyAt !== null).toBe(after.status === 'IDLE');
        expect(after.error).toBe(after.status === 'ERROR' ? 'broken' : null);
      }
    }
  });

  it('[S1] a session that leaves IDLE keeps its ready time', () => {
    const idle = standing('IDLE');
    expect(move(idle, 'message', CALM)?.readyAt).toBe(idle.readyAt);
    expect(move(standing('PENDING'), 'ready', CALM)?.readyAt).toBe(NOW);
  });

  it('[S1] a session is quiet without connections and runs, 60 s after it became ready', () => {
    const active = standing('ACTIVE');
    const quiet = (facts: Partial<typeof CALM>) =>
      nextStatus(active, 'quiet', { ...CALM, ...facts });
    expect(quiet({})).toBe('IDLE');
    expect(quiet({ connections: 1 })).toBe('ACTIVE');
    expect(quiet({ unfinishedRuns: 1 })).toBe('ACTIVE');
    expect(quiet({ now: NOW - 1 })).toBe('ACTIVE');
  });

  it('[S4] the timer expires at its time, and never if there is none', () => {
    const idle = standing('IDLE');
    expect(nextStatus(idle, 'expire', { ...CALM, now: NOW - 1 })).toBe('IDLE');
    expect(nextStatus(withTimer(idle, 0), 'expire', CALM)).toBe('IDLE');
    expect(withTimer(idle, 60).destroyAt).toBe(NOW + 30_000);
    expect(withTimer(standing('ACTIVE'), 60).destroyAt).toBeNull();
  });

  it('[S5] a message revives only sessions that ended idle or as orphans', () => {
    const message = (status: SessionStatus, reason: StatusReason) => () =>
      nextStatus(standing(status, reason), 'message', CALM);
    expect(message('TERMINATED', 'idle')()).toBe('PENDING');
    expect(message('TERMINATED', 'orphan')()).toBe('PENDING');
    const ended = expect.objectContaining({ code: 'session_ended' }) as Error;
    expect(message('TERMINATED', 'asked')).toThrow(ended);
    expect(message('COMPLETED', 'asked')).toThrow(ended);
  });

  it('[S1] [S6] with an unfinished run it cannot complete or be orphaned, but can be terminated', () => {
    const facts = { ...CALM, unfinishedRuns: 1 };
    const busy = expect.objectContaining({ code: 'session_busy' }) as Error;
    expect(() => nextStatus(standing('ACTIVE'), 'complete', facts)).toThrow(busy);
    expect(() => nextStatus(standing('ACTIVE'), 'orphan', facts)).toThrow(busy);
    expect(nextStatus(standing('ACTIVE'), 'terminate', facts)).toBe('TERMINATED');
  });
});

test('[S1] the diagram shows every transition once', () => {
  const lines = sessionDiagram().split('\n');
  expect(lines[1]).toBe('  [*] --> PENDING: created');
  const arrows = new Set(
    Object.values(ALLOWED).flatMap((byStatus) =>
      Object.entries(byStatus)
        .filter(([from, to]) => from !== to)
        .map(([from, to]) => `  ${from} --> ${to}:`),
    ),
  );
  const shown = lines.slice(2, -1).map((line) => line.slice(0, line.indexOf(':') + 1));
  expect(new Set(shown)).toEqual(arrows);
  expect(shown).toHaveLength(arrows.size);
});
