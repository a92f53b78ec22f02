import { describe, expect, it, onTestFinished } from 'vitest';
import { approvalRules } from './contract/approvals.contract.ts';
import { type OpenAt, SessionBench, type SessionRule } from './contract/bench.contract.ts';
import { connectionRules } from './contract/connections.contract.ts';
import { costRules } from './contract/costs.contract.ts';
import { invocationRules } from './contract/invocations.contract.ts';
import { messageRules } from './contract/messages.contract.ts';
import { readRules } from './contract/reads.contract.ts';
import { removeRules } from './contract/remove.contract.ts';
import { runRules } from './contract/runs.contract.ts';
import { stateRules } from './contract/states.contract.ts';
import { steerRules } from './contract/steers.contract.ts';
import { timerRules } from './contract/timer.contract.ts';
import { toolRules } from './contract/tool-rules.contract.ts';

const TOPICS = {
  states: stateRules,
  messages: messageRules,
  runs: runRules,
  connections: connectionRules,
  timers: timerRules,
  removal: removeRules,
  reads: readRules,
  invocations: invocationRules,
  costs: costRules,
  approvals: approvalRules,
  'tool rules': toolRules,
  steering: steerRules,
};

export interface ContractOptions {
  /** Titles of rules this store cannot keep, each with its reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/** The promises of the session port, the same for every database; each test has data of its own. */
export function sessionContract(
  name: string,
  open: OpenAt,
  { cannot = {} }: ContractOptions = {},
): void {
  const titles = new Set<string>();
  const rule: SessionRule = (title, body) => {
    titles.add(title);
    const reason = cannot[title];
    if (reason !== undefined) {
      it(`${title}: declared impossible: ${reason}`, () => expect(reason).not.toBe(''));
      return;
    }
    it(title, async () => {
      const bench = await SessionBench.open(open);
      onTestFinished(() => bench.close());
      await body(bench);
    });
  };

  describe(`${name} session store`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) describe(topic, () => rules(rule));

    it('declares nothing impossible that is no rule', () => {
      expect(Object.keys(cannot).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
