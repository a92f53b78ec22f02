import { describe, it, onTestFinished } from 'vitest';
import { auditRules } from './contract/audit.contract.ts';
import { AccessBench, type AccessRule, type OpenAccess } from './contract/bench.contract.ts';
import { nodeRules } from './contract/nodes.contract.ts';
import { shareRules } from './contract/shares.contract.ts';
import { signInRules } from './contract/sign-ins.contract.ts';
import { statsRules } from './contract/stats.contract.ts';
import { ticketRules } from './contract/tickets.contract.ts';
import { userRules } from './contract/users.contract.ts';

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
export function accessContract(name: string, open: OpenAccess): void {
  const rule: AccessRule = (title, body) => {
    it(title, async () => {
      const bench = await AccessBench.open(open);
      onTestFinished(() => bench.close());
      await body(bench);
    });
  };

  describe(`${name} access store`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) describe(topic, () => rules(rule));
  });
}
