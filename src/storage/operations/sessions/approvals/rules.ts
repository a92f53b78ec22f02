import { BatonError } from '../../../../contract/errors.ts';
import { Channel } from '../../../../contract/message.ts';
import { RULES_MAX, type ScopeRules } from '../../../../contract/policy.ts';
import type { AgentSpec } from '../../../../contract/session.ts';
import type {
  RuleScope,
  RulesInForce,
  SessionRules,
} from '../../../../sessions/approvals/approval-store.ts';
import { type Op, query, queryOne } from '../../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../../dialect.ts';
import { lockSession } from '../load.ts';

const PUT = `INSERT INTO tool_rules (place, session_id, rules, updated_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (place) DO UPDATE SET rules = excluded.rules, updated_at = excluded.updated_at`;

function keyOf(of: RuleScope): string {
  if (of.scope === 'session') return `session:${of.sessionId}`;
  return of.scope === 'channel' ? `channel:${of.channel}` : 'global';
}

interface RuleRow {
  readonly place: string | null;
  readonly rules: string | null;
}

interface SessionRuleRow extends RuleRow {
  readonly agent: string;
  readonly workspace_path: string | null;
}

const SHARED = ['global', ...Channel.options.map((channel) => keyOf({ scope: 'channel', channel }))]
  .map((key) => `'${key}'`)
  .join(', ');
const SHARED_RULES = `SELECT place, rules FROM tool_rules WHERE place IN (${SHARED})`;
const SESSION_RULES = `SELECT s.agent, s.workspace_path, r.place, r.rules
  FROM sessions s LEFT JOIN tool_rules r ON r.place IN ($2, ${SHARED}) WHERE s.id = $1`;

export function* readRules(of: RuleScope): Op<ScopeRules | null> {
  const row = yield* queryOne<{ rules: string }>('SELECT rules FROM tool_rules WHERE place = $1', [
    keyOf(of),
  ]);
  return row === null ? null : (JSON.parse(row.rules) as ScopeRules);
}

export function* rulesFor(sessionId: string): Op<SessionRules | null> {
  const own = keyOf({ scope: 'session', sessionId });
  const rows = yield* query<SessionRuleRow>(SESSION_RULES, [sessionId, own], 'rules_for');
  const [first] = rows;
  if (first === undefined) return null;
  return {
    agent: JSON.parse(first.agent) as AgentSpec,
    workspacePath: first.workspace_path,
    ...inForce(rows, own),
  };
}

export function* sharedRules(): Op<RulesInForce> {
  return inForce(yield* query<RuleRow>(SHARED_RULES, [], 'shared_rules'), null);
}

function inForce(rows: readonly RuleRow[], own: string | null): RulesInForce {
  const byKey = new Map(
    rows.map(({ place, rules }) => [
      place,
      rules === null ? null : (JSON.parse(rules) as ScopeRules),
    ]),
  );
  const channels: Partial<Record<Channel, ScopeRules>> = {};
  for (const channel of Channel.options) {
    const rules = byKey.get(keyOf({ scope: 'channel', channel }));
    if (rules != null) channels[channel] = rules;
  }
  return {
    session: own === null ? null : (byKey.get(own) ?? null),
    channels,
    global: byKey.get('global') ?? null,
  };
}

/** A session's rules change under its lock, because an answer may add to them. */
export function* putRules(
  dialect: Dialect,
  now: number,
  of: RuleScope,
  rules: ScopeRules,
): Op<Done<ScopeRules>> {
  if (of.scope === 'session') yield* lockSession(dialect, now, of.sessionId);
  yield* put(now, of, rules);
  return { value: rules, hint: NO_HINT };
}

function* put(now: number, of: RuleScope, rules: ScopeRules): Op<void> {
  const sessionId = of.scope === 'session' ? of.sessionId : null;
  yield* query(PUT, [keyOf(of), sessionId, JSON.stringify(rules), now]);
}

/** The caller holds the lock of the session's lane. */
export function* allowInSession(now: number, sessionId: string, rule: string): Op<void> {
  const own: RuleScope = { scope: 'session', sessionId };
  const rules = (yield* readRules(own)) ?? { allow: [], ask: [], deny: [] };
  if (rules.allow.includes(rule)) return;
  if (rules.allow.length >= RULES_MAX) {
    throw new BatonError(
      'invalid_request',
      `The session already has ${RULES_MAX} rules. Allow this once, or remove some of them.`,
      { details: { field: 'scope' } },
    );
  }
  yield* put(now, own, { ...rules, allow: [...rules.allow, rule] });
}
