import { homedir } from 'node:os';
import type { AgentPayload, Channel } from '../contract/message.ts';
import type { Verdict } from '../contract/policy.ts';
import type { ToolCall } from '../policy/tools/call.ts';
import { decide, type Scopes } from '../policy/tools/decide.ts';
import type { Place } from '../policy/tools/path-match.ts';
import type { RulesInForce } from './approval-store.ts';

/** Rules as they are stored, as the policy takes them. */
export const scopesOf = (
  channel: Channel,
  rules: Pick<RulesInForce, 'session' | 'channel' | 'global'>,
): Scopes => ({
  channel,
  session: rules.session ?? undefined,
  channelRules: rules.channel ?? undefined,
  global: rules.global ?? undefined,
});

/** Where a session's agent is; its home directory is the server's. */
export const placeOf = (workspace: string | null | undefined): Place => ({
  cwd: workspace ?? undefined,
  home: homedir(),
});

const NONE = { session: null, channel: null, global: null };

/** What the rules say about a call of a run: those in force, and what its message said itself. */
export const judge = (
  { tool, input }: Pick<ToolCall, 'tool' | 'input'>,
  workspace: string | null,
  {
    channel,
    allowedTools,
    disallowedTools,
  }: Pick<AgentPayload, 'channel' | 'allowedTools' | 'disallowedTools'>,
  rules: RulesInForce | null,
): Verdict =>
  decide(
    { tool, input, ...placeOf(workspace) },
    { ...scopesOf(channel, rules ?? NONE), allowedTools, disallowedTools },
  );
