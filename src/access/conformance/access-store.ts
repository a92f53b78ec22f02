import { describe, it, onTestFinished } from 'vitest';
import { auditRules } from './audit.ts';
import { nodeRules } from './nodes.ts';
import { type AccessRule, AccessStoreRig, type OpenAccess } from './rig.ts';
import { shareRules } from './shares.ts';
import { signInRules } from './sign-ins.ts';
import { statsRules } from './stats.ts';
import { ticketRules } from './tickets.ts';
import { userRules } from './users.ts';

const TOPICS = {
  'users and tokens': userRules,
  'sign-ins': signInRules,
  tickets: ticketRules,
  shares: shareRules,
  audit: auditRules,
  nodes: nodeRules,
  stats: statsRules,
};

/** The conformance suite of the access port. Each test has its own data. */
export function accessConformance(name: string, open: OpenAccess): void {
  const rule: AccessRule = (title, body) => {
    it(title, async () => {
      const rig = await AccessStoreRig.open(open);
      onTestFinished(() => rig.close());
      await body(rig);
    });
  };

  describe(`${name} access store`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) describe(topic, () => rules(rule));
  });
}
