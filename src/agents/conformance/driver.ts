import { describe, expect, it } from 'vitest';
import { approvalRules } from './approvals.ts';
import { endRules } from './ends.ts';
import { floodRules } from './floods.ts';
import { outputRules } from './output.ts';
import { DriverRig } from './rig.ts';
import { startRules } from './starting.ts';
import { steerRules } from './steering.ts';
import { stopRules } from './stopping.ts';
import type { DriverSubject, Need } from './subject.ts';
import { timeoutRules } from './timeouts.ts';
import { turnRules } from './turns.ts';

/** One test of the suite; the title begins with its rule. */
export interface Rule {
  readonly title: string;
  /** Drivers that lack this declare why, instead of being tested. */
  readonly needs?: Need;
  readonly check: (rig: DriverRig) => Promise<void>;
}
export type Topic = (subject: DriverSubject) => readonly Rule[];

const TOPICS: Readonly<Record<string, Topic>> = {
  starting: startRules,
  turns: turnRules,
  ends: endRules,
  output: outputRules,
  floods: floodRules,
  stopping: stopRules,
  steering: steerRules,
  approvals: approvalRules,
  timeouts: timeoutRules,
};

export const rulesOf = (subject: DriverSubject): readonly Rule[] =>
  Object.values(TOPICS).flatMap((topic) => topic(subject));

/** The conformance suite of the driver port. */
export function driverConformance(subject: DriverSubject): void {
  describe(`the driver ${subject.name}`, () => {
    for (const [topic, rules] of Object.entries(TOPICS)) {
      describe(topic, () => {
        for (const rule of rules(subject)) test(rule, subject);
      });
    }

    it('[A1] lacks exactly what its capabilities say', () => {
      const { message, steers, resumes, spends } = subject.at('/').driver.capabilities;
      const lacks = (need: Need): boolean => subject.lacks[need] !== undefined;
      expect({
        calls: lacks('calls'),
        steers: lacks('steers'),
        resumes: lacks('resumes'),
        spends: lacks('spends'),
      }).toEqual({
        calls: message === 'command',
        steers: !steers,
        resumes: !resumes,
        spends: !spends,
      });
    });
  });
}

function test({ title, needs, check }: Rule, subject: DriverSubject): void {
  const reason = needs === undefined ? undefined : subject.lacks[needs];
  if (reason === undefined) it(title, () => check(new DriverRig(subject)));
  else it(`${title}: declared impossible: ${reason}`, () => expect(reason).not.toBe(''));
}
