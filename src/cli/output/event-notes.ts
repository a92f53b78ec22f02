import { spellOutUnseen, spellOutUnseenInProse } from '../../client/spell-out-unseen.ts';
import {
  EVENTS,
  type EventPayloads,
  type EventType,
  payloadOf,
} from '../../contract/events/table.ts';
import { EVERYTHING_STOPPED } from '../../contract/limits.ts';
import type { RunError } from '../../contract/outcome.ts';
import type { RunState } from '../../contract/run.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { REASON_WORDS, STATUS_WORDS } from './status-words.ts';

/** A sentence about an event. If `detail` is true, the sentence is shown only in the log. */
export interface Note {
  readonly text: string;
  readonly detail: boolean;
}

/** A note for each type of event that has one. */
export type Notes = {
  readonly [T in EventType]?: (
    payload: EventPayloads[T],
    event: SessionEvent,
    clock: Clock,
  ) => string;
};
type Clock = (time: number) => string;

/** Notes for a person who is waiting for the run. */
const important: Notes = {
  'run.retry_scheduled': ({ error, nextRunAt }, _, clock) =>
    `${sentence(error.message)} Retrying at ${clock(nextRunAt)}.`,
  'run.parked': ({ error, until }, _, clock) =>
    `${sentence(error.message)} Resumes at ${clock(until)}.`,
  'run.restarted': () => 'The worker stopped; the run will start again.',
  'run.handed_back': ({ reason }) =>
    reason === EVERYTHING_STOPPED
      ? 'An administrator stopped everything; the run continues when everything is resumed.'
      : 'The worker is stopping; the run continues when another worker takes it.',
  'run.waiting': () => 'The agent is waiting for an answer.',
  'approval.requested': ({ approvalId, tool }) =>
    `The agent wants to use ${spellOutUnseen(tool)}. See "baton approve show ${approvalId}".`,
  'policy.denied': ({ tool, reason }) =>
    `${spellOutUnseen(tool)} is not allowed: ${sentence(spellOutUnseen(reason))}`,
  'run.finished': ({ state, error }) => endOf(state, error),
  'session.held': () => 'This session’s queue is paused; run "baton resume" to continue.',
  'agent.notice': ({ text }) => text,
};

const details: Notes = {
  'run.queued': ({ change }, { runId }) => `Run ${runId} ${change ?? 'queued'}`,
  'run.dequeued': (_, { runId }) => `Run ${runId} taken by a worker`,
  'run.start': (_, { attempt }) => `Run started${attempt === null ? '' : `, attempt ${attempt}`}`,
  'run.steered': ({ text, sender }) => `${sender} added: ${spellOutUnseenInProse(text)}`,
  'session.created': ({ name }) => `Session created: ${name}`,
  'session.status': ({ from, to, reason, error }) =>
    `Session ${STATUS_WORDS[from]} → ${STATUS_WORDS[to]} (${REASON_WORDS[reason]})${error === undefined ? '' : `: ${error}`}`,
  'session.moved': ({ from, to, fromName = from, toName = to }) =>
    `Session moved${fromName === null ? '' : ` from ${fromName}`} to ${toName}`,
  'session.resumed': () => 'Session resumed',
  'session.cost': ({ costUsd }) => `Cost ${money(costUsd)}`,
  'workspace.status': ({ status, message }) =>
    `Workspace ${status}${message === undefined ? '' : `: ${message}`}`,
  'approval.decided': ({ decision, by }) =>
    `${decision === 'allow' ? 'Allowed' : 'Denied'} by ${by}`,
  'approval.withdrawn': ({ reason }) => `Question withdrawn: ${reason}`,
  'agent.init': ({ agent, cwd, model }) =>
    `Agent ${agent} in ${cwd}${model === undefined ? '' : `, model ${model}`}`,
};

/** The note for an event that is not agent text; undefined if it has none. */
export function noteOf(event: SessionEvent, clock: Clock): Note | undefined {
  if (!Object.hasOwn(EVENTS, event.type)) return undefined;
  const type = event.type as EventType;
  const payload = payloadOf(type, event);
  const write = (important[type] ?? details[type]) as
    | ((payload: unknown, event: SessionEvent, clock: Clock) => string)
    | undefined;
  if (payload === undefined || write === undefined) return undefined;
  return { text: write(payload, event, clock), detail: important[type] === undefined };
}

const ENDS: Partial<Record<RunState, string>> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  dead: 'Gave up',
  cancelled: 'Cancelled',
};

export function endOf(state: RunState, error: RunError | null): string {
  const end = ENDS[state] ?? state;
  return error === null || state === 'cancelled'
    ? `${end}.`
    : `${end}: ${sentence(error.message)} (${error.class})`;
}

const sentence = (text: string): string => (/[.!?。]$/.test(text) ? text : `${text}.`);

/** To the cent; anything less than one cent is shown as `<$0.01`. */
export const money = (usd: number): string =>
  usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;

/** An amount for `--json`, rounded to remove the rounding errors of additions. */
export const plainUsd = (usd: number): number => Number(usd.toFixed(8));
