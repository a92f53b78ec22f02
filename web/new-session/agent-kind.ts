import type { AgentView } from '../../src/contract/agent.ts';
import type { Kind, NewForm } from './form.ts';

/*
 * Which agent the form uses. Until the user chooses one, it is whichever is ready, and that may
 * change while the form is open. A shell runs whatever it is sent, so nothing written for an agent
 * may become a command: text stays with the agent that was shown when the user started writing, and
 * once Claude Code has been offered, only the user can switch to the shell.
 */

/** The agent for an empty form; null until it is known which is ready. */
export function automaticKind(before: Kind | null, claude: AgentView | undefined): Kind | null {
  if (claude === undefined) return before;
  return claude.ready === false && before !== 'claude' ? 'shell' : 'claude';
}

export function shownKind(given: Partial<NewForm>, automatic: Kind | null): Kind {
  const isKept = given.kindIsChosen === true || (given.message ?? '') !== '';
  return (isKept ? given.kind : automatic) ?? 'claude';
}

/** The form after a change by the user; `shown` is the agent that was shown. */
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
