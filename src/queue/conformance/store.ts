import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock, Store } from '../store.ts';
import { busyRules } from './busy.ts';
import { cancelRules } from './cancel.ts';
import { capRules } from './caps.ts';
import { crashRules } from './crash.ts';
import { fairnessRules } from './fairness.ts';
import { fenceRules } from './fence.ts';
import { followRules } from './follow.ts';
import { hintRules } from './hints.ts';
import { hostRules } from './host.ts';
import { logRules } from './log.ts';
import { orderRules } from './order.ts';
import { queuedRules } from './queued.ts';
import { readRules } from './reads.ts';
import { retryRules } from './retry.ts';
import { Rig, type Rule } from './rig.ts';
import { scheduleRules } from './schedule.ts';
import { stateRules } from './states.ts';
import { stopRules } from './stop.ts';
import { turnRules } from './turns.ts';
import { valueRules } from './values.ts';
import { waitingRules } from './waiting.ts';

const RULES = {
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
  hints: hintRules,
  following: followRules,
  values: valueRules,
  schedules: scheduleRules,
};

export interface ConformanceOptions {
  /** Titles of rules that this store cannot follow, each with its reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/**
 * The promises of the store port, the same for every adapter. `open` returns an empty store that
 * uses the given clock; each test gets its own store.
 */
export function storeConformance(
  name: string,
  open: (clock: Clock) => Promise<Store>,
  { cannot = {} }: ConformanceOptions = {},
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
      const rig = await Rig.open(open);
      onTestFinished(() => rig.store.close());
      await body(rig);
    });
  };

  describe(`${name} store`, () => {
    for (const [topic, rules] of Object.entries(RULES)) describe(topic, () => rules(rule));

    it('declares only existing rules impossible', () => {
      expect(Object.keys(cannot).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
