import { BatonError } from '../../../../contract/errors.ts';
import type { Channel } from '../../../../contract/message.ts';
import { RULES_MAX, type ToolRules } from '../../../../contract/policy.ts';
import type { AgentSpec } from '../../../../contract/session.ts';
import type { RulePlace, RulesInForce } from '../../../../sessions/approval-store.ts';
import { type Op, query, queryOne } from '../../../statement.ts';
import { type Dialect, type Done, NOTHING_TO_TELL } from '../../dialect.ts';
import { lockSession } from '../load.ts';

const PUT = `INSERT INTO tool_rules (place, session_id, rules, updated_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (place) DO UPDATE SET rules = excluded.rules, updated_at = excluded.updated_at`;

function keyOf(place: RulePlace): string {
  if (place.scope === 'session') return `session:${place.sessionId}`;
  return place.scope === 'channel' ? `channel:${place.channel}` : 'global';
}

interface InForceRow {
  agent: string;
  workspace_path: string | null;
  session_rules: string | null;
  channel_rules: string | null;
  global_rules: string | null;
}

const IN_FORCE = `SELECT s.agent, s.workspace_path,
  (SELECT rules FROM tool_rules WHERE place = $2) AS session_rules,
  (SELECT rules FROM tool_rules WHERE place = $3) AS channel_rules,
  (SELECT rules FROM tool_rules WHERE place = 'global') AS global_rules
  FROM sessions s WHERE s.id = $1`;

const parse = (rules: string | null): ToolRules | null =>
  rules === null ? null : (JSON.parse(rules) as ToolRules);

export function* readRules(place: RulePlace): Op<ToolRules | null> {
  const row = yield* queryOne<{ rules: string }>('SELECT rules FROM tool_rules WHERE place = $1', [
    keyOf(place),
  ]);
  return parse(row?.rules ?? null);
}

export function* rulesFor(sessionId: string, channel: Channel): Op<RulesInForce | null> {
  const [row] = yield* query<InForceRow>(
    IN_FORCE,
    [sessionId, keyOf({ scope: 'session', sessionId }), keyOf({ scope: 'channel', channel })],
    'rules_for',
  );
  if (row === undefined) return null;
  return {
    agent: (JSON.parse(row.agent) as AgentSpec).kind,
    workspacePath: row.workspace_path,
    session: parse(row.session_rules),
    channel: parse(row.channel_rules),
    global: parse(row.global_rules),
  };
}

/** Of a session under its lock, as an answer may add to them. */
export function* putRules(
  dialect: Dialect,
  now: number,
  place: RulePlace,
  rules: ToolRules,
): Op<Done<ToolRules>> {
  if (place.scope === 'session') yield* lockSession(dialect, now, place.sessionId);
  yield* put(now, place, rules);
  return { value: rules, hint: NOTHING_TO_TELL };
}

function* put(now: number, place: RulePlace, rules: ToolRules): Op<void> {
  const sessionId = place.scope === 'session' ? place.sessionId : null;
  yield* query(PUT, [keyOf(place), sessionId, JSON.stringify(rules), now]);
}

/** The session's lane is locked. */
export function* allowInSession(now: number, sessionId: string, rule: string): Op<void> {
  const place: RulePlace = { scope: 'session', sessionId };
  const rules = (yield* readRules(place)) ?? { allow: [], ask: [], deny: [] };
  if (rules.allow.includes(rule)) return;
  if (rules.allow.length >= RULES_MAX) {
    throw new BatonError(
      'invalid_request',
      `The session has ${RULES_MAX} rules already. Allow it once, or remove some.`,
      { details: { field: 'scope' } },
    );
  }
  yield* put(now, place, { ...rules, allow: [...rules.allow, rule] });
}
