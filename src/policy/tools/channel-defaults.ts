import type { Channel } from '../../contract/message.ts';
import type { Decision, ToolRules } from '../../contract/policy.ts';

/* What a channel may do until somebody says otherwise (P2). */

const CAREFUL: ToolRules = {
  allow: ['Read', 'Grep', 'Bash(read-only)'],
  ask: [],
  deny: ['Write', 'Edit', 'Bash(git push)'],
};
// Inside the workspace, and in no `.git`, which a wildcard of an allow rule never means.
const USUAL: ToolRules = {
  allow: ['Read(./**)', 'Write(./**)', 'Edit(./**)', 'Bash(safe)'],
  ask: [],
  deny: ['Bash(rm -rf)'],
};

/** The rules of a channel that has none of its own. */
export const CHANNEL_DEFAULTS: Readonly<Record<Channel, ToolRules>> = {
  line: CAREFUL,
  webhook: CAREFUL,
  web: USUAL,
  api: USUAL,
  // All, by what is not listed: so that a global rule still counts.
  cli: { allow: [], ask: [], deny: [] },
};

/** What no rule speaks of. */
export const UNLISTED: Readonly<Record<Channel, Decision>> = {
  line: 'ask',
  webhook: 'ask',
  web: 'ask',
  api: 'ask',
  cli: 'allow',
};
