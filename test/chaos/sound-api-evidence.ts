import type { EventRow, Evidence, RunRow } from '../../chaos/api/check/evidence.ts';
import { commandOf } from '../../chaos/api/command.ts';
import type { Mutable } from './sound-evidence.ts';

/** Small evidence that breaks no rule: one session with two runs, the second after a crash. */
export function soundEvidence(): Mutable<Evidence> {
  const events: Mutable<EventRow>[] = [];
  const log = (runId: string | null, type: string, payload: object = {}): number => {
    const seq = events.length + 1;
    events.push({
      lane: 's',
      seq,
      runId,
      attempt: null,
      type,
      payload: payload as Record<string, unknown>,
      at: seq,
      digest: `digest-${seq}`,
    });
    return seq;
  };
  const speak = (id: string, n: number): number => {
    log(id, 'run.start');
    log(id, 'agent.delta', { text: `${n}: 1\n` });
    log(id, 'agent.message', { text: `${n}: 1\n` });
    log(id, 'run.finished', { state: 'succeeded' });
    return log(id, 'done', { state: 'succeeded' });
  };
  log(null, 'session.created');
  log(null, 'session.status', { from: 'PENDING', to: 'ACTIVE', reason: 'ready' });
  const first = [log('a', 'run.queued'), log('b', 'run.queued')] as const;
  log('a', 'run.dequeued');
  const doneA = speak('a', 0);
  log('b', 'run.dequeued');
  log('b', 'run.restarted');
  log('b', 'run.dequeued');
  const doneB = speak('b', 1);
  log(null, 'session.connections', { activeConnections: 1 });
  log(null, 'session.connections', { activeConnections: 0 });
  const runOf = (id: string, n: number, firstSeq: number, lastSeq: number): RunRow => ({
    id,
    lane: 's',
    state: 'succeeded',
    position: n + 1,
    retryOf: null,
    idemKey: `key-${n}`,
    crashes: n,
    attempts: 1,
    firstSeq,
    lastSeq,
    message: commandOf(n, 'quick', 1),
    output: `${n}: 1\n`,
  });
  const requestOf = (id: string, n: number) => ({
    n,
    key: `key-${n}`,
    session: 's',
    acknowledged: [id],
    outOfTurn: false,
  });
  return {
    sessions: [
      {
        id: 's',
        status: 'ACTIVE',
        reason: 'ready',
        lastConnections: 0,
        nextSeq: events.length + 1,
        runId: null,
        queued: 0,
      },
    ],
    runs: [runOf('a', 0, first[0], doneA), runOf('b', 1, first[1], doneB)],
    events,
    connections: [],
    nodes: [],
    installation: 'i',
    ends: { s: doneB },
    traces: [
      {
        session: 's',
        lines: ['start i:n:a:1', 'end i:n:a:1', 'start i:n:b:2', 'start i:m:b:1', 'end i:m:b:1'],
      },
    ],
    requests: [requestOf('a', 0), requestOf('b', 1)],
    acknowledgedSessions: ['s'],
    removed: [],
    readers: [
      { session: 's', seen: events.map(({ seq, type, digest }) => ({ seq, type, digest })) },
    ],
    miscounted: [],
    servers: [
      { pid: 1, asked: ['kill'], exit: 'SIGKILL', lastOutput: '' },
      { pid: 2, asked: ['term'], exit: '0', lastOutput: '' },
    ],
    leftovers: [],
    errors: [],
  };
}
