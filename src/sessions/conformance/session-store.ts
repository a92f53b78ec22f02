/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it, onTestFinished } from 'vitest';
import { topicsOf } from '../../../test/support/topics.ts';
import { type OpenAt, type SessionRule, SessionStoreRig } from './rig.ts';

const TOPICS = topicsOf<(rule: SessionRule) => void>(import.meta.glob('./*.ts', { eager: true }));

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
    for (const [topic, rules] of TOPICS) describe(topic, () => rules(rule));

    it('declares only existing rules impossible', () => {
      expect(Object.keys(cannot).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
