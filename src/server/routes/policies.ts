import { policyEndpoints } from '../../contract/api/policies.ts';
import type { Channel } from '../../contract/message.ts';
import type { RuleService } from '../../sessions/rules/rule-service.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly rules: RuleService;
}

export function addPolicyRoutes({ add }: Api, services: () => Services): void {
  const at = policyEndpoints;
  const global = { scope: 'global' } as const;
  add(at.getGlobalRules, async ({ by }) => services().rules.get(by, global));
  add(at.putGlobalRules, async ({ by, body }) => services().rules.put(by, global, body));

  const of = ({ channel }: { channel: Channel }) => ({ scope: 'channel', channel }) as const;
  add(at.getChannelRules, async ({ by, params }) => services().rules.get(by, of(params)));
  add(at.putChannelRules, async ({ by, params, body }) =>
    services().rules.put(by, of(params), body),
  );

  add(at.getSessionRules, async ({ by, params }) =>
    services().rules.get(by, { scope: 'session', sessionId: params.id }),
  );
  add(at.putSessionRules, async ({ by, params, body }) =>
    services().rules.putForSession(by, params.id, body),
  );

  add(at.testPolicy, async ({ by, body }) => services().rules.test(by, body));
}
