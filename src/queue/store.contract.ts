import { describe, expect, it, onTestFinished } from 'vitest';
import { Bench, type Rule } from './contract/bench.contract.ts';
import { busyRules } from './contract/busy.contract.ts';
import { cancelRules } from './contract/cancel.contract.ts';
import { capRules } from './contract/caps.contract.ts';
import { crashRules } from './contract/crash.contract.ts';
import { fairnessRules } from './contract/fairness.contract.ts';
import { fenceRules } from './contract/fence.contract.ts';
import { followRules } from './contract/follow.contract.ts';
import { hostRules } from './contract/host.contract.ts';
import { logRules } from './contract/log.contract.ts';
import { orderRules } from './contract/order.contract.ts';
import { queuedRules } from './contract/queued.contract.ts';
import { readRules } from './contract/reads.contract.ts';
import { retryRules } from './contract/retry.contract.ts';
import { scheduleRules } from './contract/schedule.contract.ts';
import { stateRules } from './contract/states.contract.ts';
import { stopRules } from './contract/stop.contract.ts';
import { turnRules } from './contract/turns.contract.ts';
import { valueRules } from './contract/values.contract.ts';
import { waitingRules } from './contract/waiting.contract.ts';
import type { Clock, Store } from './store.ts';

const TOPICS = {
  order: orderRules,
  caps: capRules,
  fairness: fairnessRules,
  'turns between hosts': turnRules,
  fences: fenceRules,
  crashes: crashRules,
  states: stateRules,
  cancel: cancelRules,
  'busy lanes': busyRules,
  'queued runs': queuedRules,
  retries: retryRules,
  waiting: waitingRules,
  'everything stopped': stopRules,
  hosts: hostRules,
  reads: readRules,
  log: logRules,
  following: followRules,
  values: valueRules,
  schedules: scheduleRules,
};

export interface ContractOptions {
  /** Titles of rules this store cannot keep, each with its reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/**
 * The promises of the store port, the same for every adapter. `open` gives an empty store that
 * takes its time from the clock it is handed; each test gets a store of its own.
 */
export function storeContract(
  name: string,
  open: (clock: Clock) => Promise<Store>,
  { cannot = {} }: ContractOptions = {},
): void {
  const titles = new Set<string>();
  const rule: Rule = (title, body) => {
    titles.add(title);
    const reason = cannot[title];
    if (reason !== undefined) {
      it(`${title}: declared impossible: ${reason}`, () => expect(reason).not.toBe(''));
      return;
    }
    it(title, async () => {
      const bench = await Bench.open(open);
      onTestFinished(() => bench.store.close());
      await body(bench);
    });
  };

  describe(`${name} store`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) describe(topic, () => rules(rule));

    it('declares nothing impossible that is no rule', () => {
      expect(Object.keys(cannot).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
