import type { Migration } from './migration.ts';

/**
 * The standing of a person who answered a question with text of their own, as JSON. Null if they
 * only allowed or denied the call, and for older answers.
 */
const column = 'ALTER TABLE approvals ADD COLUMN answer_standing ID;\n';

export const answerStanding: Migration = {
  id: 27,
  name: 'answer standing',
  sqlite: column.replace('ID', 'TEXT'),
  postgres: column.replace('ID', 'text COLLATE "C"'),
};
