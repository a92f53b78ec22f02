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

/** The promises of the access port, the same for every database; each test has data of its own. */
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
