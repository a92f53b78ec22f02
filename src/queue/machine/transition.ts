import { isTerminal, RunState } from '../../contract/run.ts';

/**
 * The states of a run and the transitions between them. This table alone decides what is allowed;
 * docs/states.md is generated from it.
 */
export const TRANSITIONS: Record<RunState, Partial<Record<RunState, string>>> = {
  queued: { dequeued: 'claimed', cancelled: 'cancelled' },
  dequeued: {
    running: 'started',
    queued: 'handed back, or its node died',
    cancelled: 'cancelled',
    dead: 'its node died too often',
  },
  running: {
    waiting: 'asked a question',
    succeeded: 'succeeded',
    failed: 'failed, not retryable',
    cancelled: 'cancelled',
    retry_scheduled: 'failed and will be retried, or parked',
    queued: 'handed back, or its node died',
    dead: 'attempts or crashes used up',
  },
  waiting: {
    running: 'answered',
    queued: 'answered after its process exited',
    succeeded: 'succeeded',
    failed: 'failed, not retryable',
    cancelled: 'cancelled',
    retry_scheduled: 'failed and will be retried, or parked',
    dead: 'attempts used up',
  },
  retry_scheduled: { dequeued: 'claimed', cancelled: 'cancelled' },
  succeeded: {},
  failed: {},
  cancelled: {},
  dead: {},
};

export const canMove = (from: RunState, to: RunState): boolean => to in TRANSITIONS[from];

/** The table as a state diagram, for the docs. */
export function diagram(): string {
  const lines = ['stateDiagram-v2', '  [*] --> queued: enqueued'];
  for (const from of RunState.options) {
    for (const [to, why] of Object.entries(TRANSITIONS[from]))
      lines.push(`  ${from} --> ${to}: ${why}`);
    if (isTerminal(from)) lines.push(`  ${from} --> [*]`);
  }
  return `${lines.join('\n')}\n`;
}
