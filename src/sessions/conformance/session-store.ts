import { describe, expect, it, onTestFinished } from 'vitest';
import { approvalRules } from './approvals.ts';
import { connectionRules } from './connections.ts';
import { costRules } from './costs.ts';
import { hostRules } from './hosts.ts';
import { invocationRules } from './invocations.ts';
import { messageRules } from './messages.ts';
import { readRules } from './reads.ts';
import { removeRules } from './remove.ts';
import { type OpenAt, type SessionRule, SessionStoreRig } from './rig.ts';
import { runRules } from './runs.ts';
import { stateRules } from './states.ts';
import { steerRules } from './steers.ts';
import { timerRules } from './timer.ts';
import { toolRules } from './tool-rules.ts';

const TOPICS = {
  states: stateRules,
  messages: messageRules,
  runs: runRules,
  connections: connectionRules,
  timers: timerRules,
  hosts: hostRules,
  removal: removeRules,
  reads: readRules,
  invocations: invocationRules,
  costs: costRules,
  approvals: approvalRules,
  'tool rules': toolRules,
  steering: steerRules,
};

export interface ConformanceOptions {
  /** Titles of rules that this store cannot satisfy, each with its reason. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/** The conformance suite of the session port. Each test has its own data. */
export function sessionConformance(
  name: string,
  open: OpenAt,
  { cannot = {} }: ConformanceOptions = {},
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
      const rig = await SessionStoreRig.open(open);
      onTestFinished(() => rig.close());
      await body(rig);
    });
  };

  describe(`${name} session store`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) describe(topic, () => rules(rule));

    it('declares only existing rules impossible', () => {
      expect(Object.keys(cannot).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
