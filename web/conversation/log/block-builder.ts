import {
  type EventFields,
  type FieldsOf,
  fieldsOf,
  itemsIn,
  numberIn,
  textIn,
  textOrNull,
} from '../../../src/client/fields.ts';
import { typeOf } from '../../../src/contract/events/type-of.ts';
import type { RunError } from '../../../src/contract/outcome.ts';
import type { SessionStatus, StatusReason } from '../../../src/contract/session.ts';
import type { FileChange, SessionEvent } from '../../../src/contract/session-event.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import type {
  Block,
  Current,
  CutOffBlock,
  EndBlock,
  Failure,
  HeldBlock,
  ToolBlock,
} from './blocks.ts';
import { type DeltaFields, lastOf } from './log-events.ts';

interface StartedRun {
  /** Null if the start is not loaded. */
  readonly startedAt: number | null;
  costUsd: number;
  attempt: number;
}

/**
 * Turns events into blocks, in the order of their seq. Changed blocks are replaced, so comparing by
 * identity shows which ones changed.
 */
export class BlockBuilder {
  readonly #blocks: Block[] = [];
  readonly #started = new Map<string, StartedRun>();
  readonly #ended = new Set<string>();
  /** Index of each tool call's block. */
  readonly #calls = new Map<string, number>();
  /** The current attempt's calls that have no result yet. */
  readonly #open = new Set<string>();
  readonly #askings = new Map<string, string>();
  /**
   * Index of each follow-up's block, keyed by the run that is created from the follow-up if the
   * agent does not take it.
   */
  readonly #steered = new Map<string, number>();
  /** Index of the text that is still growing. */
  #live: number | null = null;
  #current: Current | null = null;
  /** The last block of each kind, which ends once something else happens. */
  #waiting: number | null = null;
  #held: number | null = null;
  #end: number | null = null;
  #status: number | null = null;

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get current(): Current | null {
    return this.#current;
  }

  /** Any event of a run other than `run.queued` means that the run has started. */
  noteRun(event: SessionEvent): void {
    const { runId, attempt } = event;
    if (runId === null) return;
    const type = typeOf(event);
    this.#markOver(this.#steered.get(runId) ?? null);
    if (type === 'run.queued' || this.#ended.has(runId)) return;
    if (type === 'run.finished' || type === 'done' || type === 'run.dequeued') return;
    if (this.#started.has(runId)) return;
    this.#started.set(runId, { startedAt: null, costUsd: 0, attempt: attempt ?? 1 });
    this.#current = { runId, state: 'running' };
  }

  dequeued(event: SessionEvent): void {
    const { runId, attempt } = event;
    if (runId === null) return;
    this.#endPrevious();
    this.#current = { runId, state: 'starting' };
    const known = this.#started.get(runId);
    if (known === undefined) {
      const startedAt = Date.parse(event.at);
      this.#started.set(runId, { startedAt, costUsd: 0, attempt: attempt ?? 1 });
      this.#push({ ...base(event), kind: 'start' });
    } else if (attempt !== null && attempt > known.attempt) {
      known.attempt = attempt;
      this.#push({ ...base(event), kind: 'attempt', attempt });
    }
  }

  moved(event: SessionEvent, state: Current['state']): void {
    if (event.runId !== null) this.#current = { runId: event.runId, state };
  }

  delayed(
    event: SessionEvent,
    fields: EventFields<'run.retry_scheduled' | 'run.parked'>,
    why: 'failed' | 'limit',
    until: number,
  ): void {
    this.#endAttempt();
    this.moved(event, 'delayed');
    const error = failureIn(fields) ?? { class: 'unknown', message: '' };
    this.#waiting = this.#push({ ...base(event), kind: 'retry', why, error, until, over: false });
  }

  cutOff(event: SessionEvent, why: CutOffBlock['why']): void {
    this.#endAttempt();
    this.moved(event, 'starting');
    this.#push({ ...base(event), kind: 'cutOff', why });
  }

  finished(event: SessionEvent, fields: EventFields<'run.finished'>): void {
    const { runId } = event;
    if (runId === null) return;
    const started = this.#started.get(runId);
    this.#ended.add(runId);
    this.#started.delete(runId);
    if (started === undefined) {
      this.#push({ ...base(event), kind: 'dropped' });
      return;
    }
    this.#endAttempt();
    this.#endPrevious();
    if (this.#current?.runId === runId) this.#current = null;
    const { startedAt, costUsd } = started;
    this.#end = this.#push({
      ...base(event),
      kind: 'end',
      state: textIn(fields, 'state') as EndBlock['state'],
      error: failureIn(fields),
      durationMs: startedAt === null ? null : Date.parse(event.at) - startedAt,
      costUsd: startedAt === null ? null : costUsd,
      over: false,
    });
  }

  delta(event: SessionEvent, fields: DeltaFields): void {
    const piece = textIn(fields, 'text');
    const isCut = fields.truncated === true;
    const live = this.#live === null ? undefined : this.#blocks[this.#live];
    if (this.#live !== null && live?.kind === 'text') {
      const { text, cut } = lastOf(live.text + piece);
      this.#blocks[this.#live] = { ...live, text, truncated: live.truncated || isCut || cut };
      return;
    }
    const content = { text: piece, live: true, truncated: isCut };
    this.#live = this.#push({ ...base(event), kind: 'text', ...content });
  }

  message(event: SessionEvent, fields: EventFields<'agent.message'>): void {
    const content = { text: textIn(fields, 'text'), truncated: fields.truncated === true };
    const live = this.#live === null ? undefined : this.#blocks[this.#live];
    if (this.#live !== null && live?.kind === 'text') {
      this.#blocks[this.#live] = { ...live, ...content, live: false };
      this.#live = null;
    } else {
      this.#push({ ...base(event), kind: 'text', ...content, live: false });
    }
  }

  addText(
    event: SessionEvent,
    fields: EventFields<'agent.thinking' | 'agent.notice'>,
    kind: 'thinking' | 'notice',
  ): void {
    this.#push({ ...base(event), kind, text: textIn(fields, 'text') });
  }

  steered(event: SessionEvent, fields: EventFields<'run.steered'>): void {
    const channel = textIn(fields, 'channel');
    const text = textIn(fields, 'text');
    const at = this.#push({
      ...base(event),
      kind: 'steered',
      text,
      sender: textIn(fields, 'sender'),
      channel,
      over: false,
    });
    this.#steered.set(textIn(fields, 'steerId'), at);
  }

  usage({ runId }: SessionEvent, fields: EventFields<'agent.usage'>): void {
    const started = runId === null ? undefined : this.#started.get(runId);
    if (started !== undefined) started.costUsd += numberIn(fields, 'costUsd');
  }

  limit(event: SessionEvent, fields: EventFields<'agent.limit'>): void {
    const status = textIn(fields, 'status');
    if (status === 'allowed') return;
    const resetsAt = textOrNull(fields, 'resetsAt');
    this.#push({ ...base(event), kind: 'limit', rejected: status === 'rejected', resetsAt });
  }

  toolUse(event: SessionEvent, fields: EventFields<'agent.tool_use'>): void {
    const callId = textIn(fields, 'id');
    if (this.#calls.has(callId)) return;
    this.#call(event, callId, fields);
    this.#open.add(callId);
  }

  toolResult(event: SessionEvent, fields: EventFields<'agent.tool_result'>): void {
    const callId = textIn(fields, 'id');
    if (!this.#calls.has(callId)) this.#call(event, callId, { tool: fields.tool ?? '' });
    this.#open.delete(callId);
    const ok = fields.ok === true;
    const truncated = fields.truncated === true;
    const result = { ok, text: textIn(fields, 'text'), truncated, at: event.at };
    // While its question is open, the call has not run: the agent was stopped until the answer
    // arrives.
    this.#change(callId, (call) =>
      call.asking?.state === 'pending' ? { ...call, cut: true } : { ...call, result, cut: false },
    );
  }

  approvalRequested(event: SessionEvent, fields: EventFields<'approval.requested'>): void {
    const callId = textIn(fields, 'callId');
    const id = textIn(fields, 'approvalId');
    if (!this.#calls.has(callId)) this.#call(event, callId, fields);
    this.#askings.set(id, callId);
    const none = { by: null, edited: false, forSession: false, decidedAt: null };
    this.#change(callId, (call) => ({
      ...call,
      cut: false,
      asking: { id, state: 'pending', ...none },
    }));
  }

  decided(event: SessionEvent, fields: EventFields<'approval.decided'>): void {
    this.#answer(fields, {
      state: textIn(fields, 'decision') === 'allow' ? 'allowed' : 'denied',
      by: textOrNull(fields, 'by'),
      edited: fields.edited === true,
      forSession: textIn(fields, 'scope') === 'session',
      decidedAt: event.at,
    });
  }

  withdrawn(_: SessionEvent, fields: EventFields<'approval.withdrawn'>): void {
    this.#answer(fields, { state: 'withdrawn' });
  }

  #answer(
    fields: EventFields<'approval.decided' | 'approval.withdrawn'>,
    answer: Partial<NonNullable<ToolBlock['asking']>>,
  ): void {
    const id = textIn(fields, 'approvalId');
    const callId = this.#askings.get(id) ?? textIn(fields, 'callId');
    this.#change(callId, (call) =>
      call.asking === null ? call : { ...call, asking: { ...call.asking, ...answer } },
    );
  }

  refused(event: SessionEvent, fields: EventFields<'policy.denied'>): void {
    const callId = textOrNull(fields, 'callId') ?? `refused-${event.seq}`;
    if (!this.#calls.has(callId)) this.#call(event, callId, fields);
    this.#open.delete(callId);
    this.#change(callId, (call) => ({ ...call, refused: textIn(fields, 'reason') }));
  }

  retryDiff(event: SessionEvent, fields: EventFields<'run.retry_diff'>): void {
    const changes: readonly FieldsOf<FileChange>[] = itemsIn(fields, 'files');
    const files = changes.map((file) => ({
      path: textIn(file, 'path'),
      change: textIn(file, 'change'),
    }));
    const truncated = fields.truncated === true;
    const patch = textOrNull(fields, 'patch');
    this.#push({ ...base(event), kind: 'diff', files, patch, truncated });
  }

  hold(event: SessionEvent, fields: EventFields<'session.held'>): void {
    const why = textIn(fields, 'reason') as HeldBlock['why'];
    this.#held = this.#push({ ...base(event), kind: 'held', why, over: false });
  }

  resumed(): void {
    this.#markOver(this.#held);
    this.#held = null;
  }

  status(event: SessionEvent, fields: EventFields<'session.status'>): void {
    this.#markOver(this.#status);
    this.#status = null;
    const to = textIn(fields, 'to') as SessionStatus;
    const reason = textIn(fields, 'reason') as StatusReason;
    const worth = to === 'ERROR' || to === 'COMPLETED' || to === 'TERMINATED';
    if (!worth && reason !== 'reopened') return;
    const error = textOrNull(fields, 'error');
    this.#status = this.#push({ ...base(event), kind: 'status', to, reason, error, over: false });
  }

  /** Shows the event's sentence from texts/event-notes.ts. */
  note(event: SessionEvent): void {
    this.#push({ ...base(event), kind: 'note', event });
  }

  #push(block: Block): number {
    return this.#blocks.push(block) - 1;
  }

  #call(
    event: SessionEvent,
    callId: string,
    fields: Omit<EventFields<'agent.tool_use'>, 'id'>,
  ): void {
    const at = this.#push({
      ...base(event),
      kind: 'tool',
      callId,
      tool: textIn(fields, 'tool'),
      input: fields.input ?? null,
      truncated: fields.truncated === true,
      parent: textOrNull(fields, 'parent'),
      result: null,
      asking: null,
      refused: null,
      cut: false,
    });
    this.#calls.set(callId, at);
  }

  #change(callId: string, change: (call: ToolBlock) => ToolBlock): void {
    const at = this.#calls.get(callId);
    const call = at === undefined ? undefined : this.#blocks[at];
    if (at !== undefined && call?.kind === 'tool') this.#blocks[at] = change(call);
  }

  /** Closes everything the attempt left open. */
  #endAttempt(): void {
    const live = this.#live === null ? undefined : this.#blocks[this.#live];
    if (this.#live !== null && live?.kind === 'text') {
      this.#blocks[this.#live] = { ...live, live: false };
    }
    this.#live = null;
    for (const callId of this.#open) this.#change(callId, (call) => ({ ...call, cut: true }));
    this.#open.clear();
  }

  #endPrevious(): void {
    this.#markOver(this.#waiting);
    this.#markOver(this.#end);
    this.#waiting = null;
    this.#end = null;
  }

  #markOver(at: number | null): void {
    const block = at === null ? undefined : this.#blocks[at];
    if (at !== null && block !== undefined && 'over' in block) {
      this.#blocks[at] = { ...block, over: true };
    }
  }
}

const base = ({ seq, at, runId }: SessionEvent) => ({ id: `e${seq}`, seq, at, runId });

function failureIn(fields: { readonly error?: Json }): Failure | null {
  const error: FieldsOf<RunError> = fieldsOf(fields.error);
  const of = textOrNull(error, 'class');
  return of === null ? null : { class: of, message: textIn(error, 'message') };
}
