import { BatonError } from '../contract/errors.ts';
import { SessionStatus, type StatusReason } from '../contract/session.ts';

/*
 * The states of a session (S1) and its transitions. Only this file says which transitions are
 * allowed. docs/states.md is generated from it, and both databases use it while they hold the lock
 * on the session's lane. It reads no clock and no database.
 */

/** The triggers, with the reason recorded for the resulting status. */
const REASONS = {
  ready: 'ready',
  fail: 'failed',
  message: 'message',
  connected: 'connected',
  quiet: 'quiet',
  expire: 'idle',
  complete: 'asked',
  terminate: 'asked',
  orphan: 'orphan',
  reopen: 'reopened',
  retry: 'retried',
} as const satisfies Record<string, StatusReason>;
export type Trigger = keyof typeof REASONS;

/** A transition to the same status changes nothing and emits no event. */
const TABLE: Record<SessionStatus, Partial<Record<Trigger, SessionStatus>>> = {
  PENDING: {
    ready: 'ACTIVE',
    fail: 'ERROR',
    message: 'PENDING',
    complete: 'COMPLETED',
    terminate: 'TERMINATED',
    orphan: 'TERMINATED',
  },
  ACTIVE: {
    // The workspace was checked again, perhaps on another machine.
    ready: 'ACTIVE',
    fail: 'ERROR',
    message: 'ACTIVE',
    quiet: 'IDLE',
    complete: 'COMPLETED',
    terminate: 'TERMINATED',
    orphan: 'TERMINATED',
  },
  IDLE: {
    fail: 'ERROR',
    message: 'ACTIVE',
    connected: 'ACTIVE',
    expire: 'TERMINATED',
    complete: 'COMPLETED',
    terminate: 'TERMINATED',
    orphan: 'TERMINATED',
  },
  ERROR: {
    // Runs queued earlier continue once the session is resumed and its workspace is back.
    ready: 'ACTIVE',
    message: 'PENDING',
    retry: 'PENDING',
    complete: 'COMPLETED',
    terminate: 'TERMINATED',
    orphan: 'TERMINATED',
  },
  // `orphan` is missing here, because a person ended the session and a message must not revive it.
  COMPLETED: { terminate: 'TERMINATED', reopen: 'PENDING' },
  TERMINATED: { message: 'PENDING', reopen: 'PENDING' },
};

/**
 * How long a session without connections or runs stays ACTIVE after it became ready. The database
 * finds such sessions by the same condition (`QUIET` in storage/operations/sessions/reconcile.ts).
 */
export const READY_GRACE_MS = 60_000;

/** The fields of a session that a transition sets. */
export interface Standing {
  readonly status: SessionStatus;
  readonly statusReason: StatusReason;
  /** An explanation for people while the status is ERROR. */
  readonly error: string | null;
  /** When the session's workspace became ready; null while it is not ready. */
  readonly readyAt: number | null;
  /** When the session became IDLE; its timer starts then. */
  readonly idleSince: number | null;
  readonly destroyAt: number | null;
  readonly idleTimeoutSeconds: number;
}

/** What transitions depend on besides the session itself. */
export interface Facts {
  readonly now: number;
  readonly unfinishedRuns: number;
  /** Connections of live nodes. */
  readonly connections: number;
}

/**
 * Triggers that may be tried on any session at any time; they do nothing where they do not apply.
 */
const CONDITIONAL: readonly Trigger[] = ['connected', 'quiet', 'expire'];

/**
 * The status after a trigger; the same one if nothing changes. Throws if the trigger is not
 * allowed.
 */
export function nextStatus(standing: Standing, trigger: Trigger, facts: Facts): SessionStatus {
  const { status } = standing;
  const to = TABLE[status][trigger];
  if (CONDITIONAL.includes(trigger))
    return to !== undefined && applies(standing, trigger, facts) ? to : status;
  const ended = status === 'COMPLETED' || status === 'TERMINATED';
  const revivable = standing.statusReason === 'idle' || standing.statusReason === 'orphan';
  if (trigger === 'message' && ended && !(status === 'TERMINATED' && revivable))
    throw new BatonError('session_ended', undefined, { details: { status } });
  if (to === undefined) throw new BatonError('session_state', undefined, { details: { status } });
  // A session with unfinished runs is neither complete nor orphaned.
  if ((trigger === 'complete' || trigger === 'orphan') && facts.unfinishedRuns > 0)
    throw busy(facts);
  return to;
}

function applies(standing: Standing, trigger: Trigger, facts: Facts): boolean {
  if (trigger === 'quiet') {
    const ready = standing.readyAt !== null && facts.now - standing.readyAt >= READY_GRACE_MS;
    return ready && facts.connections === 0 && facts.unfinishedRuns === 0;
  }
  if (trigger === 'expire') return standing.destroyAt !== null && standing.destroyAt <= facts.now;
  return true;
}

/** The fields after a trigger; null if nothing changes. `error` is the reason for a failure. */
export function move(
  standing: Standing,
  trigger: Trigger,
  facts: Facts,
  error: string | null = null,
): Standing | null {
  const status = nextStatus(standing, trigger, facts);
  if (status === standing.status) return null;
  const ready = status === 'ACTIVE' || status === 'IDLE';
  const idleSince = status === 'IDLE' ? facts.now : null;
  const { idleTimeoutSeconds } = standing;
  return {
    status,
    statusReason: REASONS[trigger],
    error: status === 'ERROR' ? error : null,
    readyAt: ready ? (standing.readyAt ?? facts.now) : null,
    idleSince,
    destroyAt: destroyAt(idleSince, idleTimeoutSeconds),
    idleTimeoutSeconds,
  };
}

/** Changes the timer. The timer runs from when the session became idle, not from now. */
export const withTimer = <S extends Standing>(standing: S, idleTimeoutSeconds: number): S => ({
  ...standing,
  idleTimeoutSeconds,
  destroyAt: destroyAt(standing.idleSince, idleTimeoutSeconds),
});

const destroyAt = (idleSince: number | null, seconds: number): number | null =>
  idleSince === null || seconds === 0 ? null : idleSince + seconds * 1000;

export const busy = ({ unfinishedRuns }: Facts): BatonError =>
  new BatonError('session_busy', undefined, { details: { unfinishedRuns } });

const WORDS: Record<Trigger, string> = {
  ready: 'workspace ready',
  fail: 'workspace failed',
  message: 'message',
  connected: 'connected',
  quiet: 'no connections, no unfinished runs, ready for 60 s',
  expire: 'idle timer expired',
  complete: 'completed',
  terminate: 'terminated',
  orphan: 'workspace gone',
  reopen: 'reopened',
  retry: 'retried',
};

/** The table as a state diagram, for the docs. */
export function sessionDiagram(): string {
  const lines = ['stateDiagram-v2', '  [*] --> PENDING: created'];
  for (const from of SessionStatus.options) {
    const arrows = new Map<SessionStatus, string[]>();
    for (const [trigger, to] of Object.entries(TABLE[from]) as [Trigger, SessionStatus][]) {
      if (to === from) continue;
      const word = WORDS[trigger];
      const revives = from === 'TERMINATED' && trigger === 'message';
      const words = revives ? `${word} (if it ended idle or as an orphan)` : word;
      arrows.set(to, [...(arrows.get(to) ?? []), words]);
    }
    for (const [to, words] of arrows) lines.push(`  ${from} --> ${to}: ${words.join(', or ')}`);
  }
  return `${lines.join('\n')}\n`;
}
