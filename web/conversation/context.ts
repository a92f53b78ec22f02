import { createContext, useContext } from 'react';
import type { Session } from '../../src/contract/session.ts';

/** A search term and the seqs of the rows that contain it. */
export interface Highlighted {
  readonly text: string;
  readonly seqs: ReadonlySet<number>;
}

/** What all components of a conversation share. */
export interface Conversation {
  readonly session: Session;
  /** Whether the user may write here. */
  readonly mayAct: boolean;
  /** The current search; null if there is none. */
  readonly highlighted: Highlighted | null;
}

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const context = useContext(ConversationContext);
  if (context === null) throw new Error('useConversation must be used inside a conversation');
  return context;
}
