import { entryOf, type NewAuditEntry, type Principal } from '../../access/principal.ts';
import { requireRight } from '../../access/require-right.ts';
import { BatonError } from '../../contract/errors.ts';
import type { Json } from '../../contract/json.ts';
import type { ScopeRules, ToolRules } from '../../contract/policy.ts';
import { CHANNEL_DEFAULTS } from '../../policy/tools/channel-defaults.ts';
import { decide, strictest } from '../../policy/tools/decide.ts';
import { parseRule } from '../../policy/tools/rule.ts';
import type { RuleScope } from '../approvals/approval-store.ts';
import { refuseSecrets } from '../refuse-secrets.ts';
import type { SessionService } from '../service.ts';
import { findSession, findToChange, type ServiceParts } from '../service-parts.ts';
import { locationOf, scopesOf } from './tool-scopes.ts';

type Part = Pick<SessionService, 'rules' | 'putRules' | 'testPolicy'>;

const NONE: ToolRules = { allow: [], ask: [], deny: [] };

/** What agents may do: on the whole server, on a channel, in a session (P1). */
export function ruleService(parts: ServiceParts): Part {
  const { store, log, maskJson } = parts;

  const read = async (scope: RuleScope): Promise<ScopeRules> => {
    const rules =
      (await store.readRules(scope)) ??
      (scope.scope === 'channel' ? CHANNEL_DEFAULTS[scope.channel] : NONE);
    return scope.scope === 'session' ? rules : { enforced: [], ...rules };
  };

  return {
    async rules(by, scope) {
      requireRight(by, 'read');
      if (scope.scope === 'session') await findSession(parts, by, scope.sessionId, 'view');
      return read(scope);
    },

    async putRules(by, scope, rules) {
      if (scope.scope === 'session') await findToChange(parts, by, scope.sessionId);
      else requireRight(by, 'admin');
      for (const list of ['allow', 'ask', 'deny'] as const) mustBeRules(list, rules[list]);
      mustBeStops(rules);
      refuseSecrets({ ...rules }, maskJson);
      const entry = entryFor(by, scope, await read(scope), rules);
      const put = await store.audited(entry).putRules(scope, rules);
      log.info({ scope }, 'Tool rules changed');
      return put;
    },

    async testPolicy(by, { tool, input, channel, sessionId }) {
      requireRight(by, 'read');
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const session = sessionId === undefined ? null : await store.rulesFor(sessionId);
      const rules = session ?? (await store.sharedRules());
      const location = locationOf(session?.workspacePath, parts);
      const call = { tool, input, ...location };
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

/** Limit for the audit log, measured as JSON; for longer lists, only their lengths are recorded. */
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
