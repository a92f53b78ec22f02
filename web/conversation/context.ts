import { createContext, useContext } from 'react';
import type { Session } from '../../src/contract/session.ts';

/** A text that is looked for, and the rows that have it, by their seq. */
export interface Wanted {
  readonly text: string;
  readonly seqs: ReadonlySet<number>;
}

/** What the parts of a conversation know about it. */
export interface Conversation {
  readonly session: Session;
  /** Whether this person may write here. */
  readonly mayAct: boolean;
  /** What somebody looks for; null if nobody does. */
  readonly wanted: Wanted | null;
}

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const found = useContext(ConversationContext);
  if (found === null) throw new Error('outside of a conversation');
  return found;
}
