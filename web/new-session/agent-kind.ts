import type { AgentView } from '../../src/contract/agent.ts';
import {
  DEFAULT_KIND,
  DRIVEN_KINDS,
  type DrivenKind,
  takesCommands,
} from '../../src/contract/agent-kinds.ts';
import type { NewForm } from './form.ts';

/*
 * Which agent the form uses. Until the user chooses one, it is the first agent that is ready, which
 * may change while the form is open. A shell runs whatever it is sent, so nothing written for
 * another agent may become a command: text stays with the agent that was shown when the user
 * started writing, and once an agent that takes prompts has been offered, only the user can switch
 * to an agent that takes commands.
 */

/** The agent for an empty form; null until it is known which agent is ready. */
export function automaticKind(
  before: DrivenKind | null,
  agents: readonly AgentView[],
): DrivenKind | null {
  if (agents.length === 0) return before;
  const usable = new Set(agents.flatMap(({ kind, ready }) => (ready === false ? [] : [kind])));
  const kind = DRIVEN_KINDS.find((each) => usable.has(each)) ?? DEFAULT_KIND;
  if (before === null || takesCommands({ kind: before })) return kind;
  return takesCommands({ kind }) ? before : kind;
}

export function shownKind(given: Partial<NewForm>, automatic: DrivenKind | null): DrivenKind {
  const isKept = given.kindIsChosen === true || (given.message ?? '') !== '';
  return (isKept ? given.kind : automatic) ?? DEFAULT_KIND;
}

/** The form after a change by the user; `shown` is the agent that was shown. */
export function withPart(
  before: Partial<NewForm>,
  part: Partial<NewForm>,
  shown: DrivenKind,
): Partial<NewForm> {
  const next = { ...before, ...part };
  if (part.kind !== undefined) return { ...next, kindIsChosen: true };
  const begins = (before.message ?? '') === '' && (next.message ?? '') !== '';
  return begins ? { ...next, kind: shown } : next;
}
