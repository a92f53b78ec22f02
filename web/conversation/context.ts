import { createContext, useContext } from 'react';
import type { Session } from '../../src/contract/session.ts';

/** What the parts of a conversation know about it. */
export interface Conversation {
  readonly session: Session;
  /** Whether this person may write here. */
  readonly mayAct: boolean;
  /** A part of the text that somebody looks for. */
  readonly wanted: string;
}

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const found = useContext(ConversationContext);
  if (found === null) throw new Error('outside of a conversation');
  return found;
}
