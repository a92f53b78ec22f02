import type { Channel } from '../contract/message.ts';
import type { Scopes } from '../policy/tools/decide.ts';
import type { RulesInForce } from './approval-store.ts';

/** Rules as they are stored, as the policy takes them. */
export const scopesOf = (
  channel: Channel,
  rules: Pick<RulesInForce, 'session' | 'channel' | 'global'>,
): Scopes => ({
  channel,
  session: rules.session ?? undefined,
  channelRules: rules.channel ?? undefined,
  global: rules.global ?? undefined,
});
