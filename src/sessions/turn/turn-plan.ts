import type { Attachment, ForkPoint } from '../../agents/driver.ts';
import type { ApprovalRecord } from '../approvals/approval-store.ts';

/** What is known about a run when one more attempt at it begins. */
export interface RunSoFar {
  readonly message: string;
  /** The agent's name of the session's conversation, if it has one. */
  readonly conversation: string | null;
  /** What a conversation that is begun starts as a copy of. */
  readonly forkPoint: ForkPoint | null;
  /** An agent of an earlier attempt had the message. */
  readonly begun: boolean;
  /** A tool call of an earlier attempt was allowed. */
  readonly acted: boolean;
  /** Some run of the session has ended, so that there is something to go on from. */
  readonly hasPast: boolean;
  /** Answers of people that no agent has been given yet. */
  readonly answers: readonly ApprovalRecord[];
}

export interface TurnPlan {
  readonly conversation: string | null;
  readonly fork?: ForkPoint;
  readonly message: string;
  /** Files that came with it. */
  readonly attachments?: readonly Attachment[];
  /** Tools that it counts on. */
  readonly tools?: readonly string[];
}

/**
 * What an attempt says to the agent, and in which conversation (A3). One that was cut off goes on in
 * its conversation; where nothing was done yet it begins anew, because an agent that is killed at its
 * very first question has often stored nothing to resume. A fork is then made again, under another id:
 * what the first one has left is resumed by nobody.
 */
export function planTurn(so: RunSoFar): TurnPlan {
  const { message, conversation, forkPoint, begun, acted, hasPast } = so;
  if (conversation === null || (begun && !hasPast && !acted)) {
    return { conversation: null, message, ...(forkPoint === null ? {} : { fork: forkPoint }) };
  }
  if (!begun) return { conversation, message };
  return {
    conversation,
    message: [GO_ON, ...so.answers.map(told), `The message was:\n${message}`].join('\n\n'),
  };
}

const GO_ON =
  'The attempt before this one was cut off. Go on from where this conversation stands, and do not repeat what is done.';

/** A call that waited for its answer is lost with its process, so it has to be made again. */
function told({ tool, state, message }: ApprovalRecord): string {
  const said = message === null ? '' : ` They said: ${message}`;
  return state === 'allowed'
    ? `Meanwhile a person has allowed your last call of ${tool}. Make the same call again, with the same input.${said}`
    : `Meanwhile a person has refused your last call of ${tool}.${said}`;
}
