import { createHmac } from 'node:crypto';
import type { Usage } from '../../access/access-store.ts';
import type { Logger } from '../../queue/logger.ts';

const PREFIX = 'c:';

/**
 * Settings that must be the same on all nodes that serve the API, told to each other as keyed digests:
 * with another admin token on one of them, a load balancer lets its owner in at every other request.
 */
export class Fingerprints {
  readonly mine: readonly Usage[];
  readonly #log: Pick<Logger, 'warn'>;
  readonly #warned = new Set<string>();

  /** By the name of the variable; null is not set. The key is the one all nodes share. */
  constructor(
    settings: Readonly<Record<string, string | null>>,
    key: Buffer,
    log: Pick<Logger, 'warn'>,
  ) {
    this.#log = log;
    this.mine = Object.entries(settings).map(([name, value]) => {
      const text = JSON.stringify([name, value]);
      const digest = createHmac('sha256', key).update(text).digest('base64url');
      return { key: `${PREFIX}${name}:${digest}`, value: 1 };
    });
  }

  /** Warns once of each that differs on another live node, and again if it did not in between. */
  compare(others: readonly Usage[]): void {
    const told = others.filter(({ key }) => key.startsWith(PREFIX)).map(({ key }) => key);
    for (const { key } of this.mine) {
      const name = key.slice(PREFIX.length, key.lastIndexOf(':'));
      const differs = told.some((one) => one !== key && one.startsWith(`${PREFIX}${name}:`));
      if (!differs) this.#warned.delete(name);
      else if (!this.#warned.has(name)) {
        this.#warned.add(name);
        this.#log.warn(
          { setting: name },
          `Another node of this installation has another ${name}; set ${name} the same on every node that serves the API`,
        );
      }
    }
  }
}
