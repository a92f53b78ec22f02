import { expect, test } from 'vitest';
import { STATUS_WORDS, statusNamed } from '../../src/cli/output/status-words.ts';
import { SessionStatus } from '../../src/contract/session.ts';
import { common } from '../../web/texts/en/common.ts';

test('[C1] the command line calls a status what the web app calls it', () => {
  for (const status of SessionStatus.options) {
    expect(STATUS_WORDS[status]).toBe(common.status[status].toLowerCase());
  }
});

test('[C1] a status is recognised by its word and by its name in the API, in any letter case', () => {
  for (const word of ['ready', 'Ready', 'ACTIVE', 'active'])
    expect(statusNamed(word)).toBe('ACTIVE');
  expect(SessionStatus.safeParse(statusNamed('sleeping')).success).toBe(false);
});
