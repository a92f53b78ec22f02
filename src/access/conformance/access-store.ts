/// <reference types="vite/types/importMeta.d.ts" />
import { describe, it, onTestFinished } from 'vitest';
import { topicsOf } from '../../../test/support/topics.ts';
import { type AccessRule, AccessStoreRig, type OpenAccess } from './rig.ts';

const TOPICS = topicsOf<(rule: AccessRule) => void>(import.meta.glob('./*.ts', { eager: true }));

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
    for (const [topic, rules] of TOPICS) describe(topic, () => rules(rule));
  });
}
