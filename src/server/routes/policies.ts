import { policyEndpoints } from '../../contract/api/policies.ts';
import type { RulePlace } from '../../sessions/approvals/approval-store.ts';
import type { Api } from '../route.ts';

const GLOBAL: RulePlace = { scope: 'global' };

export function addPolicyRoutes({ add, sessions }: Api): void {
  const at = policyEndpoints;
  add(at.getGlobalRules, async ({ by }) => sessions().rules(by, GLOBAL));
  add(at.putGlobalRules, async ({ by, body }) => sessions().putRules(by, GLOBAL, body));

  const ofChannel = ({
    channel,
  }: Pick<RulePlace & { scope: 'channel' }, 'channel'>): RulePlace => ({
    scope: 'channel',
    channel,
  });
  add(at.getChannelRules, async ({ by, params }) => sessions().rules(by, ofChannel(params)));
  add(at.putChannelRules, async ({ by, params, body }) =>
    sessions().putRules(by, ofChannel(params), body),
  );

  const ofSession = ({ id }: { readonly id: string }): RulePlace => ({
    scope: 'session',
    sessionId: id,
  });
  add(at.getSessionRules, async ({ by, params }) => sessions().rules(by, ofSession(params)));
  add(at.putSessionRules, async ({ by, params, body }) =>
    sessions().putRules(by, ofSession(params), body),
  );

  add(at.testPolicy, async ({ by, body }) => sessions().testPolicy(by, body));
}
