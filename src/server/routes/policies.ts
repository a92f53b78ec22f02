import { policyEndpoints } from '../../contract/api/policies.ts';
import type { RuleScope } from '../../sessions/approvals/approval-store.ts';
import type { Api } from '../route.ts';

const GLOBAL: RuleScope = { scope: 'global' };

export function addPolicyRoutes({ add, sessions }: Api): void {
  const at = policyEndpoints;
  add(at.getGlobalRules, async ({ by }) => sessions().rules(by, GLOBAL));
  add(at.putGlobalRules, async ({ by, body }) => sessions().putRules(by, GLOBAL, body));

  const ofChannel = ({
    channel,
  }: Pick<RuleScope & { scope: 'channel' }, 'channel'>): RuleScope => ({
    scope: 'channel',
    channel,
  });
  add(at.getChannelRules, async ({ by, params }) => sessions().rules(by, ofChannel(params)));
  add(at.putChannelRules, async ({ by, params, body }) =>
    sessions().putRules(by, ofChannel(params), body),
  );

  const ofSession = ({ id }: { readonly id: string }): RuleScope => ({
    scope: 'session',
    sessionId: id,
  });
  add(at.getSessionRules, async ({ by, params }) => sessions().rules(by, ofSession(params)));
  add(at.putSessionRules, async ({ by, params, body }) =>
    sessions().putRules(by, ofSession(params), body),
  );

  add(at.testPolicy, async ({ by, body }) => sessions().testPolicy(by, body));
}
