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
import { placeOf, scopesOf } from './tool-scopes.ts';

type Part = Pick<SessionService, 'rules' | 'putRules' | 'testPolicy'>;

const NONE: ToolRules = { allow: [], ask: [], deny: [] };

/** What agents may do, for everything, on a channel, in a session (P1). */
export function ruleService(parts: ServiceParts): Part {
  const { store, log, maskJson } = parts;

  const read = async (place: RuleScope): Promise<ScopeRules> => {
    const rules =
      (await store.readRules(place)) ??
      (place.scope === 'channel' ? CHANNEL_DEFAULTS[place.channel] : NONE);
    return place.scope === 'session' ? rules : { enforced: [], ...rules };
  };

  return {
    async rules(by, place) {
      requireRight(by, 'read');
      if (place.scope === 'session') await findSession(parts, by, place.sessionId, 'view');
      return read(place);
    },

    async putRules(by, place, rules) {
      if (place.scope === 'session') await findToChange(parts, by, place.sessionId);
      else requireRight(by, 'admin');
      for (const list of ['allow', 'ask', 'deny'] as const) mustBeRules(list, rules[list]);
      mustBeStops(rules);
      refuseSecrets({ ...rules }, maskJson);
      const entry = entryFor(by, place, await read(place), rules);
      const put = await store.audited(entry).putRules(place, rules);
      log.info({ place }, 'Tool rules changed');
      return put;
    },

    async testPolicy(by, { tool, input, channel, sessionId }) {
      requireRight(by, 'read');
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const found = sessionId === undefined ? null : await store.rulesFor(sessionId);
      const rules = found ?? (await store.sharedRules());
      const place = placeOf(found?.workspacePath);
      const call = { tool, input, ...place };
      const own = parts.ownFiles.judge(call);
      const verdict = decide(call, scopesOf({ channel }, rules));
      return own === null ? verdict : strictest([verdict, own]);
    },
  };
}

/** To enforce means to stop something: there is no floor of what is allowed. */
function mustBeStops({ ask, deny, enforced = [] }: ScopeRules): void {
  const at = enforced.findIndex((rule) => !ask.includes(rule) && !deny.includes(rule));
  if (at === -1) return;
  throw new BatonError('invalid_request', `enforced.${at}: is not among \`ask\` or \`deny\``, {
    details: { field: `enforced.${at}` },
  });
}

/** Beyond the contract's pattern: what is no rule would allow nothing, and stop everything. */
export function mustBeRules(field: string, rules: readonly string[]): void {
  const at = rules.findIndex((rule) => parseRule(rule) === null);
  if (at === -1) return;
  throw new BatonError(
    'invalid_request',
    `${field}.${at}: is not a rule such as Read or Bash(git push)`,
    { details: { field: `${field}.${at}` } },
  );
}

/** As JSON; longer lists are told by their lengths. */
const DETAIL_MAX = 4000;

function entryFor(
  by: Principal,
  place: RuleScope,
  before: ScopeRules,
  after: ScopeRules,
): NewAuditEntry {
  const target =
    place.scope === 'session'
      ? ({ kind: 'session', id: place.sessionId } as const)
      : ({ kind: 'policy', id: place.scope === 'channel' ? place.channel : 'global' } as const);
  return entryOf(by, 'policy.update', target, { before: short(before), after: short(after) });
}

function short({ allow, ask, deny, enforced }: ScopeRules): Json {
  const marks = enforced === undefined ? {} : { enforced };
  const rules = { allow, ask, deny, ...marks };
  if (JSON.stringify(rules).length <= DETAIL_MAX) return rules;
  const lengths = Object.entries(rules).map(([list, { length }]) => [list, length]);
  return Object.fromEntries(lengths) as Json;
}
