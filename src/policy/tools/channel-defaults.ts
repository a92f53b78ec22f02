import type { Channel } from '../../contract/message.ts';
import type { Decision, ToolRules } from '../../contract/policy.ts';

/* The default rules of each channel (P2). */

const CAREFUL: ToolRules = {
  allow: ['Read', 'Grep', 'Bash(read-only)'],
  ask: [],
  deny: ['Write', 'Edit', 'Bash(git push)'],
};
// Files are allowed inside the workspace but not in a `.git`, which wildcards in allow rules never
// match.
const USUAL: ToolRules = {
  allow: ['Read(./**)', 'Write(./**)', 'Edit(./**)', 'Bash(safe)'],
  ask: [],
  deny: ['Bash(rm -rf)'],
};

/** The rules for a channel that has none of its own. */
export const CHANNEL_DEFAULTS: Readonly<Record<Channel, ToolRules>> = {
  line: CAREFUL,
  webhook: CAREFUL,
  web: USUAL,
  api: USUAL,
  // `UNLISTED` allows everything, so global rules still apply.
  cli: { allow: [], ask: [], deny: [] },
};

/** The decision about a call that no rule covers. */
export const UNLISTED: Readonly<Record<Channel, Decision>> = {
  line: 'ask',
  webhook: 'ask',
  web: 'ask',
  api: 'ask',
  cli: 'allow',
};
