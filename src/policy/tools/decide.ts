import type { Channel } from '../../contract/message.ts';
import type {
  Decision,
  PolicyScope,
  ScopeRules,
  ToolRules,
  Verdict,
} from '../../contract/policy.ts';
import { type ParsedCall, parseCall, type ToolCall } from './call.ts';
import { CHANNEL_DEFAULTS, UNLISTED } from './channel-defaults.ts';
import { allows, stops } from './match.ts';
import { QUESTIONS } from './tool-table.ts';

/** All rules that apply to a call. */
export interface Scopes {
  readonly channel: Channel;
  /** The message's own tool lists; they can only narrow the rules. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly session?: ToolRules | undefined;
  /** If missing, the channel's default rules apply. */
  readonly channelRules?: ScopeRules | undefined;
  readonly global?: ScopeRules | undefined;
  /**
   * The channels through which the person's credential was created; only their enforced rules
   * apply.
   */
  readonly through?: readonly ChannelRules[] | undefined;
}

export interface ChannelRules {
  readonly channel: Channel;
  readonly rules: ScopeRules;
}

/**
 * Decides about a call (P1, P2). The session's rules come first, then the channel's, then the
 * global ones: the first of these with a matching rule decides. If no rule matches, the channel's
 * default applies. The message's own lists can make the decision stricter, and enforced rules set a
 * minimum. If it is uncertain whether a deny or ask rule matches, the result is at least `ask`.
 */
export function decide(call: ToolCall, scopes: Scopes): Verdict {
  const parsed = parseCall(call);
  const enforced = enforcedVerdicts(parsed, scopes);
  const doubts: Verdict[] = [];
  const first = firstVerdict(parsed, scopes, doubts);
  const narrowed = verdictOfMessage(parsed, scopes, doubts);
  const all = [...enforced, narrowed, first, ...doubts].filter((one) => one !== null);
  const verdict = strictest(all);
  if (verdict.decision !== 'allow' || !QUESTIONS.has(call.tool)) return verdict;
  const reason = 'it is a question for a person, so only a person can answer it';
  return { decision: 'ask', scope: 'default', rule: null, reason };
}

const STRICT: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * If several verdicts are equally strict, the first enforced one wins, because no session rule can
 * override it; if none is enforced, the first one.
 */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((best, one) => (weightOf(one) > weightOf(best) ? one : best));

const weightOf = ({ decision, enforced = false }: Verdict): number =>
  2 * STRICT[decision] + Number(enforced);

/** The verdict of each scope's enforced rules, which no other scope can override. */
function enforcedVerdicts(
  call: ParsedCall,
  { channelRules, global, through = [] }: Scopes,
): Verdict[] {
  const scopes: [PolicyScope, ScopeRules | undefined, from: string][] = [
    ['channel', channelRules, ''],
    ...through.map(({ channel, rules }): [PolicyScope, ScopeRules, string] => [
      'channel',
      rules,
      ` ${channel}, on which the credential was created`,
    ]),
    ['global', global, ''],
  ];
  return scopes.flatMap(([scope, rules, from]) => {
    const { enforced = [] } = rules ?? {};
    if (rules === undefined || enforced.length === 0) return [];
    const pick = (list: readonly string[]) => list.filter((rule) => enforced.includes(rule));
    const only = { allow: [], ask: pick(rules.ask), deny: pick(rules.deny) };
    const doubts: Verdict[] = [];
    const verdict = verdictOfScope(call, scope, only, doubts, 'enforced rules', from);
    const all = verdict === null ? doubts : [verdict, ...doubts];
    return all.map((one) => ({ ...one, enforced: true }));
  });
}

function firstVerdict(call: ParsedCall, scopes: Scopes, doubts: Verdict[]): Verdict {
  const { channel, session, channelRules = CHANNEL_DEFAULTS[channel], global } = scopes;
  const order: [PolicyScope, ToolRules | undefined][] = [
    ['session', session],
    ['channel', channelRules],
    ['global', global],
  ];
  for (const [scope, rules] of order) {
    const verdict = rules && verdictOfScope(call, scope, rules, doubts);
    if (verdict) return verdict;
  }
  const decision = UNLISTED[channel];
  const syntax = decision === 'ask' ? syntaxIn(call) : '';
  const reason = `${syntax}no rule covers it, and unlisted calls ${UNLISTED_ARE[decision]} on ${channel}`;
  return { decision, scope: 'default', rule: null, reason };
}

// web/approvals/reason.ts recognises these phrases to translate them.
const UNLISTED_ARE: Record<Decision, string> = {
  allow: 'are allowed',
  ask: 'require approval',
  deny: 'are denied',
};
const IS_DECIDED_BY: Record<Decision, string> = {
  allow: 'is allowed by',
  ask: 'requires approval under',
  deny: 'is denied by',
};

/** Deny overrides ask, and ask overrides allow. */
function verdictOfScope(
  call: ParsedCall,
  scope: PolicyScope,
  { deny, ask, allow }: ToolRules,
  doubts: Verdict[],
  what = 'rules',
  from = '',
): Verdict | null {
  const verdictBy = (decision: Decision, rule: string): Verdict => ({
    decision,
    scope,
    rule,
    reason: `"${rule}" ${IS_DECIDED_BY[decision]} the ${what} of the ${NAMES[scope]}${from}`,
  });
  for (const [decision, rules] of [
    ['deny', deny],
    ['ask', ask],
  ] as const) {
    const rule = stopping(rules, call, scope, doubts);
    if (rule !== undefined) return verdictBy(decision, rule);
  }
  const rule = allow.find((text) => allows(text, call) === 'yes');
  return rule === undefined ? null : verdictBy('allow', rule);
}

const NAMES: Record<PolicyScope, string> = {
  message: 'message',
  session: 'session',
  channel: 'channel',
  global: 'whole server',
  default: 'defaults',
};

/**
 * The first rule that certainly matches. The first rule that possibly matches is added to `doubts`.
 */
function stopping(
  rules: readonly string[],
  call: ParsedCall,
  scope: PolicyScope,
  doubts: Verdict[],
): string | undefined {
  let doubt: string | undefined;
  for (const rule of rules) {
    const match = stops(rule, call);
    if (match === 'yes') return rule;
    if (match === 'maybe') doubt ??= rule;
  }
  if (doubt !== undefined) {
    doubts.push(uncertain(call, scope, doubt));
  }
  return undefined;
}

/** Null if the message's tool lists do not restrict the call. */
function verdictOfMessage(
  call: ParsedCall,
  { allowedTools, disallowedTools = [] }: Scopes,
  doubts: Verdict[],
): Verdict | null {
  const denied = stopping(disallowedTools, call, 'message', doubts);
  if (denied !== undefined) {
    const reason = `"${denied}" is in the message's disallowedTools`;
    return { decision: 'deny', scope: 'message', rule: denied, reason };
  }
  // A question has no effects, so allowedTools never excludes it.
  if (allowedTools === undefined || QUESTIONS.has(call.tool)) return null;
  const matches = allowedTools.map((rule) => allows(rule, call));
  if (matches.includes('yes')) return null;
  const doubt = matches.indexOf('maybe');
  if (doubt === -1) {
    const reason = "it is not in the message's allowedTools";
    return { decision: 'deny', scope: 'message', rule: null, reason };
  }
  return uncertain(call, 'message', allowedTools[doubt]!);
}

function uncertain(call: ParsedCall, scope: PolicyScope, rule: string): Verdict {
  const reason = `${syntaxIn(call)}it is uncertain whether "${rule}" matches`;
  return { decision: 'ask', scope, rule, reason };
}

/** The shell syntax that keeps a command from being plain, as the beginning of a reason. */
function syntaxIn({ command }: ParsedCall): string {
  const why = command?.plain.why;
  return why === undefined ? '' : `the command contains ${why}: `;
}
