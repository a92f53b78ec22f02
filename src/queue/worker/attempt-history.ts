import type { LogEvent } from '../../contract/event.ts';
import type { EventPayloads, EventType } from '../../contract/events/table.ts';
import { typeOf } from '../../contract/events/type-of.ts';
import { RunError } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import type { LogStore } from '../store.ts';

const PAGE = 1000;

const ENDS = {
  'run.retry_scheduled': 'failed',
  'run.restarted': 'crashed',
  'run.handed_back': 'handed_back',
  'run.parked': 'parked',
  'run.waiting': 'left_waiting',
} as const satisfies { readonly [T in EventType]?: string };

type Fields = keyof (EventPayloads['run.retry_scheduled'] & EventPayloads['run.waiting']);

export interface PastAttempt {
  readonly attempt: number;
  readonly ended: (typeof ENDS)[keyof typeof ENDS];
  readonly error: RunError | null;
  readonly at: number;
}

/**
 * How a run's prior attempts ended, read from its lane's log. An attempt that was cut short from
 * outside does not count, so its number is used again.
 */
export async function pastAttempts(
  log: Pick<LogStore, 'listAfter'>,
  run: Run,
): Promise<PastAttempt[]> {
  const past: PastAttempt[] = [];
  let after = run.firstSeq - 1;
  for (;;) {
    const events = await log.listAfter(run.lane, after, PAGE, run.id);
    for (const event of events) {
      const entry = pastAttemptOf(event);
      if (entry !== null) past.push(entry);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return past;
    after = last.seq;
  }
}

function pastAttemptOf(event: LogEvent): PastAttempt | null {
  const { type, payload, attempt, at } = event;
  if (!Object.hasOwn(ENDS, type)) return null;
  const fields = payload as { readonly [F in Fields]?: unknown };
  // A question does not end the attempt if its process stays alive.
  if (typeOf(event) === 'run.waiting' && fields.parked !== true) return null;
  const error = RunError.safeParse(fields.error);
  const ended = ENDS[type as keyof typeof ENDS];
  return { attempt: attempt ?? 0, ended, error: error.success ? error.data : null, at };
}
