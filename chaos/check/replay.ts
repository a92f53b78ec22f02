import { type EventRow, type Evidence, type Report, type RunRow, show } from './evidence.ts';

/*
 * Replays one lane's log with a small independent model: which event may follow which, which run is
 * next, and the final counters of each run.
 */

interface Model {
  readonly id: string;
  state: 'queued' | 'dequeued' | 'running' | 'waiting' | 'retry' | 'finished' | 'done';
  attempts: number;
  crashes: number;
  /** Its process has ended while its question is open. */
  parked: boolean;
  /** The node of its last claim. */
  node: string | null;
  notBefore: number;
  /** The run was moved. The log does not say where to, so it may start at any time. */
  wild: boolean;
  outcome: string | null;
  lastSeq: number;
}

/** The states in which an event may occur. */
const FROM: Readonly<Record<string, readonly Model['state'][]>> = {
  'run.dequeued': ['queued', 'retry'],
  'run.start': ['dequeued', 'waiting'],
  'run.waiting': ['running', 'waiting'],
  'run.retry_scheduled': ['running', 'waiting'],
  'run.parked': ['running', 'waiting'],
  'run.handed_back': ['dequeued', 'running'],
  'run.restarted': ['dequeued', 'running'],
  'run.finished': ['queued', 'dequeued', 'running', 'waiting', 'retry'],
  done: ['finished'],
};

export class LaneReplay {
  readonly #runs = new Map<string, Model>();
  readonly #rows: ReadonlyMap<string, RunRow>;
  readonly #interrupts: ReadonlySet<number>;
  readonly #report: Report;
  #queue: Model[] = [];
  #begun: Model | null = null;
  #held = false;
  #seq = 0;
  #committedAt = 0;
  /** The run whose `done` must come now. */
  #closing: Model | null = null;

  constructor(rows: ReadonlyMap<string, RunRow>, interrupts: ReadonlySet<number>, report: Report) {
    this.#rows = rows;
    this.#interrupts = interrupts;
    this.#report = report;
  }

  step(event: EventRow): void {
    if (event.seq !== this.#seq + 1) this.#report('gap', `after seq ${this.#seq}: ${show(event)}`);
    this.#seq = event.seq;
    if (event.committedAt < this.#committedAt) {
      this.#report('gap', `committed before the event with the seq before it: ${show(event)}`);
    }
    this.#committedAt = event.committedAt;
    if (this.#closing !== null && (event.type !== 'done' || event.runId !== this.#closing.id)) {
      this.#report('done', `run.finished of ${this.#closing.id} is followed by ${show(event)}`);
    }
    this.#closing = null;
    if (event.runId === null) this.#ofLane(event);
    else this.#ofRun(event, event.runId);
  }

  #ofRun(event: EventRow, id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) {
      this.#first(event, id);
      return;
    }
    if (run.state === 'done') {
      const rule = event.type === 'done' ? 'double-done' : 'after-done';
      this.#report(rule, `${show(event)} after the run was done at ${run.lastSeq}`);
      return;
    }
    const from = FROM[event.type];
    if (from !== undefined && !from.includes(run.state)) {
      this.#report('state', `the run is ${run.state}, then follows ${show(event)}`);
    }
    if (event.type === 'run.dequeued') run.attempts++;
    const expected = run.attempts > 0 ? run.attempts : null;
    if (event.attempt !== expected) {
      this.#report('attempts', `should be attempt ${expected}: ${show(event)}`);
    }
    this.#apply(event, run);
    run.lastSeq = event.seq;
  }

  #ofLane({ type }: EventRow): void {
    if (type === 'session.held') this.#held = true;
    if (type === 'session.resumed') this.#held = false;
  }

  #first(event: EventRow, id: string): void {
    if (event.type !== 'run.queued') this.#report('state', `the first event is ${show(event)}`);
    const row = this.#rows.get(id);
    const run: Model = {
      id,
      state: 'queued',
      attempts: 0,
      crashes: 0,
      parked: false,
      node: null,
      notBefore: row?.runAt ?? 0,
      // Its row was removed, and its position with it.
      wild: row === undefined,
      outcome: null,
      lastSeq: event.seq,
    };
    this.#runs.set(id, run);
    if (row !== undefined && row.firstSeq !== event.seq) {
      this.#report('log', `run ${id} says its first event is ${row.firstSeq}: ${show(event)}`);
    }
    if (event.payload['runAt'] !== undefined) return;
    const first = row?.retryOf != null || this.#interrupts.has(row?.request ?? -1);
    if (first) this.#queue.unshift(run);
    else this.#queue.push(run);
  }

  #apply(event: EventRow, run: Model): void {
    const { payload } = event;
    switch (event.type) {
      case 'run.queued':
        this.#queued(event, run);
        return;
      case 'run.dequeued':
        this.#dequeued(event, run);
        return;
      case 'run.start':
        run.state = 'running';
        return;
      case 'run.waiting':
        run.state = 'waiting';
        run.parked = payload['parked'] === true;
        if (run.parked) run.attempts--;
        return;
      case 'run.retry_scheduled':
        run.state = 'retry';
        run.notBefore = payload['nextRunAt'] as number;
        return;
      case 'run.parked':
        run.state = 'retry';
        run.notBefore = payload['until'] as number;
        run.attempts--;
        return;
      case 'run.restarted':
        run.crashes++;
        run.attempts--;
        run.state = 'queued';
        return;
      case 'run.handed_back':
        run.attempts--;
        run.state = 'queued';
        return;
      case 'run.finished':
        this.#finished(event, run);
        return;
      case 'done':
        run.state = 'done';
        if (payload['state'] !== run.outcome) {
          this.#report('done', `run.finished said ${run.outcome}: ${show(event)}`);
        }
        return;
      default:
        this.#emitted(event, run);
    }
  }

  #queued({ payload }: EventRow, run: Model): void {
    if (payload['change'] === 'moved') run.wild = true;
    else if (payload['change'] === 'due') this.#queue.push(run);
    else if (payload['change'] === undefined) {
      // The answer came after its process had ended. If the process ended only now, the attempt is given up.
      if (run.state !== 'waiting')
        this.#report('state', `run ${run.id} was queued while ${run.state}`);
      if (!run.parked) run.attempts--;
      run.state = 'queued';
    }
  }

  #dequeued(event: EventRow, run: Model): void {
    if (this.#held) this.#report('held', `starts on a held lane: ${show(event)}`);
    // The time of the event says when the claim began, and the claim may have waited for another one.
    if (event.committedAt < run.notBefore * 1000) {
      this.#report('too-early', `not before ${run.notBefore}: ${show(event)}`);
    }
    if (this.#begun === null) {
      const next = this.#queue.find((each) => !each.wild);
      if (!run.wild && next !== run) {
        this.#report('order', `it is the turn of ${next?.id}, not of ${show(event)}`);
      }
      this.#leaveQueue(run);
      this.#begun = run;
    } else if (this.#begun !== run) {
      this.#report('order', `run ${this.#begun.id} has not ended: ${show(event)}`);
    }
    run.state = 'dequeued';
    run.node = String(event.payload['node']);
  }

  #finished(event: EventRow, run: Model): void {
    const { state, error } = event.payload as { state: string; error: { class: string } | null };
    this.#leaveQueue(run);
    if (this.#begun === run) this.#begun = null;
    run.state = 'finished';
    run.outcome = state;
    this.#closing = run;
    const row = this.#rows.get(run.id);
    if (state === 'succeeded' && row?.resultNode != null && row.resultNode !== run.node) {
      this.#report(
        'fence',
        `the result is from node ${row.resultNode}, the claim from ${run.node}: ${show(event)}`,
      );
    }
    if (error?.class === 'poisoned') {
      run.crashes++;
      // Its final events still name the attempt, but the row does not count it.
      this.#poisoned.add(run);
    }
  }
  readonly #poisoned = new Set<Model>();

  /** Written by a handler under a fence: only the node that has the run may do so. */
  #emitted(event: EventRow, run: Model): void {
    if (run.state !== 'running') this.#report('state', `the run is ${run.state}: ${show(event)}`);
    if (event.payload['node'] !== run.node) {
      this.#report('fence', `the run is claimed by ${run.node}: ${show(event)}`);
    }
  }

  #leaveQueue(run: Model): void {
    this.#queue = this.#queue.filter((each) => each !== run);
  }

  /** Compares the rows with the log. */
  end(evidence: Evidence, lane: string): void {
    const row = evidence.lanes.find((each) => each.id === lane);
    if (row?.nextSeq !== this.#seq + 1) {
      this.#report(
        'gap',
        `lane ${lane} says ${row?.nextSeq} is next, its log ends at ${this.#seq}`,
      );
    }
    if (this.#closing !== null)
      this.#report('done', `no done after run.finished of ${this.#closing.id}`);
    for (const run of this.#runs.values()) this.#compare(run);
  }

  #compare(run: Model): void {
    const row = this.#rows.get(run.id);
    if (row === undefined) return;
    const state =
      run.state === 'done' ? run.outcome : run.state === 'retry' ? 'retry_scheduled' : run.state;
    if (row.state !== state) this.#report('log', `the log says ${state}: ${show(row)}`);
    const attempts = run.attempts - (this.#poisoned.has(run) ? 1 : 0);
    if (row.attempts !== attempts || row.crashes !== run.crashes) {
      this.#report(
        'attempts',
        `the log says ${attempts} attempts, ${run.crashes} crashes: ${show(row)}`,
      );
    }
    const last = run.state === 'done' ? run.lastSeq : null;
    if (row.lastSeq !== last) this.#report('done', `its done is at ${last}: ${show(row)}`);
  }
}
