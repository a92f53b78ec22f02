import type { Entry, EventRow, Evidence, RunRow } from '../../chaos/check/evidence.ts';

/** Evidence that a test can change, to plant a violation. */
export type Mutable<T> = T extends readonly (infer U)[]
  ? Mutable<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

/** Small evidence that breaks no rule: two runs of one lane, and a schedule that fires every second. */
export function soundEvidence(): Mutable<Evidence> {
  const events: EventRow[] = [];
  const seqs = new Map<string, number>();
  let clock = 1_000_000;
  const log = (lane: string, runId: string | null, type: string, payload: object = {}): number => {
    const seq = (seqs.get(lane) ?? 0) + 1;
    seqs.set(lane, seq);
    clock += 10;
    const queued = type === 'run.queued';
    const attempt = runId === null || queued ? null : 1;
    const body = payload as Record<string, unknown>;
    const digest = `${lane}-${seq}`;
    events.push({
      lane,
      seq,
      runId,
      attempt,
      type,
      payload: body,
      at: clock,
      committedAt: clock * 1000,
      digest,
    });
    return seq;
  };
  const records: Entry[] = [
    { what: 'lease', at: 0, wall: 0, pid: 7, node: 'n', until: 2000 },
    ...spanOf('a', 1, 100, 200),
    ...spanOf('b', 2, 300, 400),
    ...spanOf('t1', 3, 500, 501),
    ...spanOf('t2', 4, 600, 601),
  ];
  const execute = (lane: string, id: string): number => {
    log(lane, id, 'run.dequeued', { node: 'n' });
    log(lane, id, 'run.start');
    log(lane, id, 'step.mark', { mark: `mark-${id}`, node: 'n' });
    log(lane, id, 'run.finished', { state: 'succeeded', error: null });
    return log(lane, id, 'done', { state: 'succeeded' });
  };
  const runs: RunRow[] = [];
  const admit = (lane: string, id: string, request: number | null, tick?: object): number => {
    const firstSeq = log(lane, id, 'run.queued', { type: 'step', ...(tick && { tick }) });
    const idemKey = request === null ? null : `key-${request}`;
    const same = {
      lane,
      owner: 'o',
      type: 'step',
      state: 'succeeded',
      attempts: 1,
      maxAttempts: 5,
    };
    const times = { runAt: null, finishedAt: clock, lastSeq: null };
    const position = 1024 * (runs.length + 1);
    const rest = { crashes: 0, retryOf: null, resultNode: 'n' };
    runs.push({ ...same, ...times, ...rest, id, position, idemKey, request, firstSeq });
    return runs.length - 1;
  };
  const finish = (lane: string, at: number): void => {
    const row = runs[at]!;
    runs[at] = { ...row, lastSeq: execute(lane, row.id) };
  };
  const [a, b] = [admit('l', 'a', 0), admit('l', 'b', 1)];
  finish('l', a);
  finish('l', b);
  finish('s', admit('s', 't1', null, { schedule: 'every', at: 1_000_000, missed: false }));
  finish('s', admit('s', 't2', null, { schedule: 'every', at: 1_001_000, missed: false }));
  return structuredClone({
    lanes: [...seqs].map(([id, seq]) => ({
      id,
      held: false,
      host: id === 'l' ? 'one' : null,
      pin: id === 'l',
      nextSeq: seq + 1,
    })),
    runs,
    events,
    counts: { succeeded: 4 },
    schedules: [{ id: 'every', lastAt: 1_001_000, lastRunId: 't2' }],
    nodes: [],
    nodesBeforeStop: ['n'],
    liveNodes: ['n'],
    records,
    processes: [{ pid: 7, host: 'one', killedAt: null, exit: '0' }],
    requests: [
      { n: 0, key: 'key-0', interrupt: false, batch: 0, acknowledged: ['a', 'a'] },
      { n: 1, key: 'key-1', interrupt: false, batch: 0, acknowledged: ['b'] },
    ],
    removed: [],
    retried: [],
    readers: [0, 1].map(() => events.map(({ lane, seq, digest }) => ({ lane, seq, digest }))),
    caps: { types: { step: 2 }, perOwner: 2, perNode: 2 },
    leaseMarginMs: 200,
    steady: ['every'],
    pausedAt: 1_002_000,
    now: 1_100_000,
    errors: [],
  }) as Mutable<Evidence>;
}

function spanOf(run: string, execution: number, from: number, to: number): Entry[] {
  const lane = run.startsWith('t') ? 's' : 'l';
  const same = { wall: 0, pid: 7, node: 'n', until: 2000, run, lane, attempt: 1, execution };
  return [
    { ...same, what: 'start', at: from },
    { ...same, what: 'stored', at: from + 0.5, mark: `mark-${run}` },
    { ...same, what: 'end', at: to },
  ];
}
