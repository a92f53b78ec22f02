import { homedir } from 'node:os';
import { type AgentPayload, type Standing, standingOf } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from '../../policy/tools/call.ts';
import { decide, type Scopes, strictest } from '../../policy/tools/decide.ts';
import type { Location } from '../../policy/tools/path-match.ts';
import type { RulesInForce } from '../approvals/approval-store.ts';

/** Converts stored rules to the form that the policy expects. */
export const scopesOf = (
  { channel, through = [] }: Standing,
  { session, channels, global }: RulesInForce,
): Scopes => ({
  channel,
  session: session ?? undefined,
  channelRules: channels[channel],
  through: through.flatMap((each) => {
    const rules = channels[each];
    return rules === undefined ? [] : [{ channel: each, rules }];
  }),
  global: global ?? undefined,
});

/** Where a session's agent is; its home directory is the server's. */
export const locationOf = (workspace: string | null | undefined): Location => ({
  cwd: workspace ?? undefined,
  home: homedir(),
});

const NONE: RulesInForce = { session: null, channels: {}, global: null };

export type Call = Pick<ToolCall, 'tool' | 'input' | 'real'>;
/** The parts of a message that matter for judging its calls. */
export type Sent = Standing & Pick<AgentPayload, 'allowedTools' | 'disallowedTools'>;

/** Judges a call of a run by the rules in force and the message's own tool lists. */
export const judge = (
  { tool, input, real }: Call,
  workspace: string | null,
  { allowedTools, disallowedTools, ...standing }: Sent,
  rules: RulesInForce | null,
): Verdict =>
  decide(
    { tool, input, real, ...locationOf(workspace) },
    { ...scopesOf(standing, rules ?? NONE), allowedTools, disallowedTools },
  );

/** The same for a run that other people steered: the strictest verdict applies (P2). */
export function judgeAll(
  call: Call,
  workspace: string | null,
  sent: Sent,
  others: readonly Standing[],
  rules: RulesInForce | null,
): Verdict {
  const { allowedTools, disallowedTools } = sent;
  const distinct = new Map(others.map((each) => [JSON.stringify(standingOf(each)), each]));
  return strictest([
    judge(call, workspace, sent, rules),
    ...[...distinct.values()].map((each) => {
      const theirs = { ...standingOf(each), allowedTools, disallowedTools };
      const verdict = judge(call, workspace, theirs, rules);
      return { ...verdict, reason: `${verdict.reason}; the run was steered from ${each.channel}` };
    }),
  ]);
}
