import { createHmac } from 'node:crypto';
import type { Usage } from '../../access/access-store.ts';
import type { Logger } from '../../queue/logger.ts';

const PREFIX = 'c:';

/**
 * Settings that must be equal on all nodes that serve the API, compared as keyed digests. With a
 * different admin token on one of two nodes, for example, every other request behind a load balancer
 * would be refused.
 */
export class Fingerprints {
  readonly mine: readonly Usage[];
  readonly #log: Pick<Logger, 'warn'>;
  readonly #warned = new Set<string>();

  /**
   * `settings` are keyed by variable name; a setting that is not set is null. All nodes share
   * `key`.
   */
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

  /**
   * Warns once about each setting that differs on a live node, and again if it differs after having
   * been equal.
   */
  compare(others: readonly Usage[]): void {
    const digests = others.filter(({ key }) => key.startsWith(PREFIX)).map(({ key }) => key);
    for (const { key } of this.mine) {
      const name = key.slice(PREFIX.length, key.lastIndexOf(':'));
      const differs = digests.some((one) => one !== key && one.startsWith(`${PREFIX}${name}:`));
      if (!differs) this.#warned.delete(name);
      else if (!this.#warned.has(name)) {
        this.#warned.add(name);
        this.#log.warn(
          { setting: name },
          `${name} differs on another node of this installation; set the same ${name} on every node that serves the API`,
        );
      }
    }
  }
}
