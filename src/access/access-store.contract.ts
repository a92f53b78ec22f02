import { describe, it, onTestFinished } from 'vitest';
import { AccessBench, type AccessRule, type OpenAccess } from './contract/bench.contract.ts';
import { userRules } from './contract/users.contract.ts';

const TOPICS = {
  'users and tokens': userRules,
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
