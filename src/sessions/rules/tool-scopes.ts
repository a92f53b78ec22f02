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

/** The location of a session's agent, as far as it is known without asking the runtime. */
export const locationOf = (
  workspace: string | null | undefined,
  { home }: { readonly home: string },
): Location => ({ cwd: workspace ?? undefined, home });

const NONE: RulesInForce = { session: null, channels: {}, global: null };

export type Call = Pick<ToolCall, 'tool' | 'input' | 'real'>;
/** The parts of a message that matter for judging its calls. */
export type Sent = Standing & Pick<AgentPayload, 'allowedTools' | 'disallowedTools'>;

/** Judges a call of a run by the rules in force and the message's own tool lists. */
export const judge = (
  { tool, input, real }: Call,
  location: Location,
  { allowedTools, disallowedTools, ...standing }: Sent,
  rules: RulesInForce | null,
): Verdict =>
  decide(
    { tool, input, real, ...location },
    { ...scopesOf(standing, rules ?? NONE), allowedTools, disallowedTools },
  );

/**
 * Judges a call of a run that other people steered, also by their answers: the strictest verdict
 * applies (P2).
 */
export function judgeAll(
  call: Call,
  location: Location,
  sent: Sent,
  others: readonly Standing[],
  rules: RulesInForce | null,
): Verdict {
  const { allowedTools, disallowedTools } = sent;
  const distinct = new Map(others.map((each) => [JSON.stringify(standingOf(each)), each]));
  return strictest([
    judge(call, location, sent, rules),
    ...[...distinct.values()].map((each) => {
      const theirs = { ...standingOf(each), allowedTools, disallowedTools };
      const verdict = judge(call, location, theirs, rules);
      return { ...verdict, reason: `${verdict.reason}; the run was steered from ${each.channel}` };
    }),
  ]);
}
