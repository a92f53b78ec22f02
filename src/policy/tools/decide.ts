import type { Channel } from '../../contract/message.ts';
import type {
  Decision,
  PolicyScope,
  ScopeRules,
  ToolRules,
  Verdict,
} from '../../contract/policy.ts';
import { type SeenCall, seeCall, type ToolCall } from './call.ts';
import { CHANNEL_DEFAULTS, UNLISTED } from './channel-defaults.ts';
import { allows, stops } from './match.ts';
import { QUESTIONS } from './tool-table.ts';

/** The rules that count for a call. */
export interface Scopes {
  readonly channel: Channel;
  /** What the message says of itself; it can only narrow. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly session?: ToolRules | undefined;
  /** Without them the channel has its defaults. */
  readonly channelRules?: ScopeRules | undefined;
  readonly global?: ScopeRules | undefined;
  /** Channels that the person's credential was made through; only what they enforce counts. */
  readonly through?: readonly ChannelRules[] | undefined;
}

export interface ChannelRules {
  readonly channel: Channel;
  readonly rules: ScopeRules;
}

/**
 * What may become of a call (P1, P2): the first of session, channel and global that says something
 * decides, else the channel's default; the message can make that stricter, and what an admin enforces
 * is a floor under all of them. A rule that stops something and may mean this call, which cannot be
 * told, leaves it to a person at least.
 */
export function decide(call: ToolCall, scopes: Scopes): Verdict {
  const seen = seeCall(call);
  const floor = enforcedOn(seen, scopes);
  const doubts: Verdict[] = [];
  const verdict = firstOf(seen, scopes, doubts);
  const narrowed = ofMessage(seen, scopes, doubts);
  const all = [...floor, narrowed, verdict, ...doubts].filter((one) => one !== null);
  const found = strictest(all);
  if (found.decision !== 'allow' || !QUESTIONS.has(call.tool)) return found;
  const reason = 'it is a question to a person, so a person answers it';
  return { decision: 'ask', scope: 'default', rule: null, reason };
}

const STRICT: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 };

/** The first of them that no other exceeds. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((best, one) => (STRICT[one.decision] > STRICT[best.decision] ? one : best));

/** What the enforced rules say, each scope by itself: none of them lifts another's. */
function enforcedOn(call: SeenCall, { channelRules, global, through = [] }: Scopes): Verdict[] {
  const scopes: [PolicyScope, ScopeRules | undefined, from: string][] = [
    ['channel', channelRules, ''],
    ...through.map(({ channel, rules }): [PolicyScope, ScopeRules, string] => [
      'channel',
      rules,
      ` ${channel}, through which the credential was made`,
    ]),
    ['global', global, ''],
  ];
  return scopes.flatMap(([scope, rules, from]) => {
    const { enforced = [] } = rules ?? {};
    if (rules === undefined || enforced.length === 0) return [];
    const marked = (list: readonly string[]) => list.filter((rule) => enforced.includes(rule));
    const only = { allow: [], ask: marked(rules.ask), deny: marked(rules.deny) };
    const doubts: Verdict[] = [];
    const verdict = ofScope(call, scope, only, doubts, 'enforced rules', from);
    const all = verdict === null ? doubts : [verdict, ...doubts];
    return all.map((one) => ({ ...one, enforced: true }));
  });
}

function firstOf(call: SeenCall, scopes: Scopes, doubts: Verdict[]): Verdict {
  const { channel, session, channelRules = CHANNEL_DEFAULTS[channel], global } = scopes;
  const order: [PolicyScope, ToolRules | undefined][] = [
    ['session', session],
    ['channel', channelRules],
    ['global', global],
  ];
  for (const [scope, rules] of order) {
    const verdict = rules && ofScope(call, scope, rules, doubts);
    if (verdict) return verdict;
  }
  const decision = UNLISTED[channel];
  const about = notPlain(call, decision === 'ask');
  const reason = `${about}no rule speaks of it, and what is not listed is ${DONE[decision]} on ${channel}`;
  return { decision, scope: 'default', rule: null, reason };
}

const DONE: Record<Decision, string> = { allow: 'allowed', ask: 'asked', deny: 'denied' };

/** Deny beats ask beats allow. */
function ofScope(
  call: SeenCall,
  scope: PolicyScope,
  { deny, ask, allow }: ToolRules,
  doubts: Verdict[],
  what = 'rules',
  from = '',
): Verdict | null {
  const said = (decision: Decision, rule: string): Verdict => ({
    decision,
    scope,
    rule,
    reason: `"${rule}" is ${DONE[decision]} by the ${what} of the ${NAMES[scope]}${from}`,
  });
  for (const [decision, rules] of [
    ['deny', deny],
    ['ask', ask],
  ] as const) {
    const rule = stopping(rules, call, scope, doubts);
    if (rule !== undefined) return said(decision, rule);
  }
  const rule = allow.find((text) => allows(text, call) === 'yes');
  return rule === undefined ? null : said('allow', rule);
}

const NAMES: Record<PolicyScope, string> = {
  message: 'message',
  session: 'session',
  channel: 'channel',
  global: 'whole server',
  default: 'defaults',
};

/** The first rule that surely means the call; the first that may is kept as a doubt. */
function stopping(
  rules: readonly string[],
  call: SeenCall,
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
    const reason = `${notPlain(call, true)}it cannot be told whether "${doubt}" means it`;
    doubts.push({ decision: 'ask', scope, rule: doubt, reason });
  }
  return undefined;
}

/** Null where the message lets the others decide. */
function ofMessage(
  call: SeenCall,
  { allowedTools, disallowedTools = [] }: Scopes,
  doubts: Verdict[],
): Verdict | null {
  const denied = stopping(disallowedTools, call, 'message', doubts);
  if (denied !== undefined) {
    const reason = `"${denied}" is among the disallowedTools of the message`;
    return { decision: 'deny', scope: 'message', rule: denied, reason };
  }
  // A question does nothing, so a list of tools does not mean it.
  if (allowedTools === undefined || QUESTIONS.has(call.tool)) return null;
  const matches = allowedTools.map((rule) => allows(rule, call));
  if (matches.includes('yes')) return null;
  const doubt = matches.indexOf('maybe');
  if (doubt === -1) {
    const reason = 'it is not among the allowedTools of the message';
    return { decision: 'deny', scope: 'message', rule: null, reason };
  }
  const rule = allowedTools[doubt]!;
  const reason = `${notPlain(call, true)}it cannot be told whether "${rule}" means it`;
  return { decision: 'ask', scope: 'message', rule, reason };
}

function notPlain({ command }: SeenCall, say: boolean): string {
  const why = command?.plain.why;
  return say && why !== undefined ? `the command has ${why}: ` : '';
}
