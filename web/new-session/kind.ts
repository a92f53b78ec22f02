import type { AgentView } from '../../src/contract/agent.ts';
import type { Kind, NewForm } from './form.ts';

/*
 * Which agent the form has. Until a person chooses, it is the one that is ready, and that may change
 * while the form is open. A shell runs whatever is sent to it, so nothing that was written for an agent
 * may become a command: what is written keeps the agent that was shown when it was begun, and once
 * Claude Code was offered, the form goes over to the shell only by a person's hand.
 */

/** The agent for an empty form; null while it is not known which is ready. */
export function automaticKind(before: Kind | null, claude: AgentView | undefined): Kind | null {
  if (claude === undefined) return before;
  return claude.ready === false && before !== 'claude' ? 'shell' : 'claude';
}

export function shownKind(given: Partial<NewForm>, automatic: Kind | null): Kind {
  const isKept = given.kindIsChosen === true || (given.message ?? '') !== '';
  return (isKept ? given.kind : automatic) ?? 'claude';
}

/** The form after a change by the person; `shown` is the agent they had before them. */
export function withPart(
  before: Partial<NewForm>,
  part: Partial<NewForm>,
  shown: Kind,
): Partial<NewForm> {
  const next = { ...before, ...part };
  if (part.kind !== undefined) return { ...next, kindIsChosen: true };
  const begins = (before.message ?? '') === '' && (next.message ?? '') !== '';
  return begins ? { ...next, kind: shown } : next;
}
