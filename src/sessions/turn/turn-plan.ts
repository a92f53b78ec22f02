import type { Attachment, ForkPoint } from '../../agents/driver.ts';
import type { ApprovalRecord } from '../approvals/approval-store.ts';

/** What is known about a run when another attempt starts. */
export interface RunSoFar {
  readonly message: string;
  /** The agent's id for the session's conversation, if there is one. */
  readonly conversation: string | null;
  /** The point from which a new conversation is copied. */
  readonly forkPoint: ForkPoint | null;
  /** An agent in an earlier attempt has received the message. */
  readonly begun: boolean;
  /** A tool call in an earlier attempt was allowed. */
  readonly acted: boolean;
  /** A run of the session has ended, so there is a conversation to continue. */
  readonly hasPast: boolean;
  /** People's answers that no agent has received yet. */
  readonly answers: readonly ApprovalRecord[];
}

export interface TurnPlan {
  readonly conversation: string | null;
  readonly fork?: ForkPoint;
  readonly message: string;
  readonly attachments?: readonly Attachment[];
  /** Tools that the message expects to be available. */
  readonly tools?: readonly string[];
}

/**
 * What an attempt says to the agent, and in which conversation (A3). After an interruption, the
 * attempt continues the conversation. If nothing has been done yet, the attempt starts a new one,
 * because an agent killed at its very first question has often stored nothing to resume. In that
 * case a fork is made again under another id; the first copy is never resumed.
 */
export function planTurn(so: RunSoFar): TurnPlan {
  const { message, conversation, forkPoint, begun, acted, hasPast } = so;
  if (conversation === null || (begun && !hasPast && !acted)) {
    return { conversation: null, message, ...(forkPoint === null ? {} : { fork: forkPoint }) };
  }
  if (!begun) return { conversation, message };
  return {
    conversation,
    message: [CONTINUE, ...so.answers.map(noteOf), `The message was:\n${message}`].join('\n\n'),
  };
}

const CONTINUE =
  'The previous attempt was interrupted. Continue from where this conversation stopped, and do not repeat what has already been done.';

/**
 * A call that was waiting for its answer died with its process, so the agent has to make it again.
 */
function noteOf({ tool, state, message }: ApprovalRecord): string {
  const said = message === null ? '' : ` They said: ${message}`;
  return state === 'allowed'
    ? `A person has since allowed your last call to ${tool}. Make the same call again, with the same input.${said}`
    : `A person has since refused your last call to ${tool}.${said}`;
}
