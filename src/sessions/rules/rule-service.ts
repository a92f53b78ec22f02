import {
  type Authorised,
  entryOf,
  type NewAuditEntry,
  type Principal,
} from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import type { ScopeRules, TestPolicy, ToolRules, Verdict } from '../../contract/policy.ts';
import type { Json } from '../../contract/values/json.ts';
import { CHANNEL_DEFAULTS } from '../../policy/tools/channel-defaults.ts';
import { decide, strictest } from '../../policy/tools/decide.ts';
import { parseRule } from '../../policy/tools/rule.ts';
import { giveWay, isLong } from '../../queue/give-way.ts';
import type { RuleScope } from '../approvals/approval-store.ts';
import { findSession } from '../find-session.ts';
import { refuseSecrets } from '../refuse-secrets.ts';
import type { ServiceParts } from '../service-parts.ts';
import { locationOf, scopesOf } from './tool-scopes.ts';

type SharedScope = Exclude<RuleScope, { readonly scope: 'session' }>;

/** The rules for what agents may do on the whole server, on a channel or in a session (P1). */
export interface RuleService {
  /** A channel has default rules until its own rules are set. */
  get(by: Authorised<'read'>, scope: RuleScope): Promise<ScopeRules>;
  /** Replaces the rules of the server or of a channel. */
  put(by: Authorised<'admin'>, scope: SharedScope, rules: ScopeRules): Promise<ScopeRules>;
  putForSession(by: Authorised<'run'>, sessionId: string, rules: ScopeRules): Promise<ScopeRules>;
  /** What the rules would say about a hypothetical tool call. */
  test(by: Authorised<'read'>, body: TestPolicy): Promise<Verdict>;
}

const NONE: ToolRules = { allow: [], ask: [], deny: [] };

export function ruleService(
  parts: Pick<ServiceParts, 'store' | 'log' | 'maskJson' | 'ownFiles' | 'home'>,
): RuleService {
  const { store, log, maskJson } = parts;

  const read = async (scope: RuleScope): Promise<ScopeRules> => {
    const rules =
      (await store.readRules(scope)) ??
      (scope.scope === 'channel' ? CHANNEL_DEFAULTS[scope.channel] : NONE);
    return scope.scope === 'session' ? rules : { enforced: [], ...rules };
  };

  const write = async (by: Principal, scope: RuleScope, rules: ScopeRules): Promise<ScopeRules> => {
    for (const list of ['allow', 'ask', 'deny'] as const) mustBeRules(list, rules[list]);
    mustBeStops(rules);
    refuseSecrets({ ...rules }, maskJson);
    const entry = entryFor(by, scope, await read(scope), rules);
    const put = await store.audited(entry).putRules(scope, rules);
    log.info({ scope }, 'Tool rules changed');
    return put;
  };

  return {
    async get(by, scope) {
      if (scope.scope === 'session') await findSession(parts, by, scope.sessionId, 'view');
      return read(scope);
    },

    put: write,

    async putForSession(by, sessionId, rules) {
      await findSession(parts, by, sessionId, 'operate');
      return write(by, { scope: 'session', sessionId }, rules);
    },

    async test(by, { tool, input, channel, sessionId }) {
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const session = sessionId === undefined ? null : await store.rulesFor(sessionId);
      const rules = session ?? (await store.sharedRules());
      const location = locationOf(session?.workspacePath, parts);
      const call = { tool, input, ...location };
      if (isLong(JSON.stringify(input ?? null))) await giveWay(by.userId);
      const own = parts.ownFiles.judge(call);
      const verdict = decide(call, scopesOf({ channel }, rules));
      return own === null ? verdict : strictest([verdict, own]);
    },
  };
}

/** Only `ask` and `deny` can be enforced: nothing can be forced to be allowed. */
function mustBeStops({ ask, deny, enforced = [] }: ScopeRules): void {
  const at = enforced.findIndex((rule) => !ask.includes(rule) && !deny.includes(rule));
  if (at === -1) return;
  throw new BatonError('invalid_request', `enforced.${at}: is not in \`ask\` or \`deny\``, {
    details: { field: `enforced.${at}` },
  });
}

/**
 * Stricter than the contract's pattern: an invalid rule would allow nothing and stop everything.
 */
export function mustBeRules(field: string, rules: readonly string[]): void {
  const at = rules.findIndex((rule) => parseRule(rule) === null);
  if (at === -1) return;
  throw new BatonError(
    'invalid_request',
    `${field}.${at}: is not a valid rule, such as Read or Bash(git push)`,
    { details: { field: `${field}.${at}` } },
  );
}

/**
 * The largest rule lists that the audit log records, measured as JSON; for longer lists, it records
 * only the lengths.
 */
const DETAIL_MAX = 4000;

function entryFor(
  by: Principal,
  scope: RuleScope,
  before: ScopeRules,
  after: ScopeRules,
): NewAuditEntry {
  const target =
    scope.scope === 'session'
      ? ({ kind: 'session', id: scope.sessionId } as const)
      : ({ kind: 'policy', id: scope.scope === 'channel' ? scope.channel : 'global' } as const);
  return entryOf(by, 'policy.update', target, { before: short(before), after: short(after) });
}

function short({ allow, ask, deny, enforced }: ScopeRules): Json {
  const rules = { allow, ask, deny, ...(enforced === undefined ? {} : { enforced }) };
  if (JSON.stringify(rules).length <= DETAIL_MAX) return rules;
  const lengths = Object.entries(rules).map(([list, { length }]) => [list, length]);
  return Object.fromEntries(lengths) as Json;
}
