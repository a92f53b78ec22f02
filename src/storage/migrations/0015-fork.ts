import type { Migration } from './migration.ts';

/**
 * The conversation that a forked session copies when it starts; each conversation belongs to one
 * session. Forks used to share their original's conversation. Now the oldest session keeps it, and
 * the others start with a copy.
 */
const tables = `
ALTER TABLE sessions ADD COLUMN conversation_head ID;
ALTER TABLE sessions ADD COLUMN fork_conversation ID;
ALTER TABLE sessions ADD COLUMN fork_head ID;
UPDATE sessions SET fork_conversation = conversation, conversation = NULL
  WHERE EXISTS (SELECT 1 FROM sessions o WHERE o.conversation = sessions.conversation AND o.id < sessions.id);
CREATE UNIQUE INDEX sessions_conversation ON sessions (conversation);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"');

export const forkColumns: Migration = { id: 15, name: 'fork', sqlite, postgres };
