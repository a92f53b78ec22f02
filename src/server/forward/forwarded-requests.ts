import type { Principal } from '../../access/principal.ts';
import type { Authenticator } from '../../access/service.ts';
import type { Logger } from '../../queue/logger.ts';
import { LIFE_MAX_MS, openCredential, type RequestLine } from './credential.ts';
import type { DatabaseClock } from './database-clock.ts';
import { UsedNumbers } from './used-numbers.ts';

/** A request that another node forwarded. */
export interface Forwarded {
  /** The caller, with the rights they have now. */
  readonly by: Principal;
  /** What the digest of the body must be. */
  readonly bodyDigest: string;
}

export interface ForwardedOptions {
  readonly key: Buffer;
  /** This node's id; null while it has none. */
  readonly nodeId: () => string | null;
  readonly clock: DatabaseClock;
  readonly authenticator: Pick<Authenticator, 'byName'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Decides at the destination whether a forwarded request is accepted (X7). The body has not been read
 * then: its digest is compared afterwards.
 */
export class ForwardedRequests {
  readonly #options: ForwardedOptions;
  readonly #numbers = new UsedNumbers();

  constructor(options: ForwardedOptions) {
    this.#options = options;
  }

  async accept(credential: unknown, line: RequestLine): Promise<Forwarded | null> {
    const { key, nodeId, clock, authenticator, log } = this.#options;
    const claim = typeof credential === 'string' ? openCredential(key, credential, line) : null;
    if (claim === null) return null;
    const refuse = (reason: string): null => {
      // Only a node can get here, so strangers cannot fill the log.
      log.warn({ reason, requestId: claim.requestId }, 'Refused a request from another node');
      return null;
    };
    if (claim.node !== nodeId()) return refuse('it is for another node, or for an earlier start');
    const now = await clock.now();
    if (claim.expiresAt <= now) return refuse('it has expired');
    if (claim.expiresAt > now + LIFE_MAX_MS) return refuse('it is valid for too long');
    if (!this.#numbers.use(claim.number, claim.expiresAt, now)) return refuse('it was used before');
    const by = await authenticator.byName(claim.credential);
    if (by === null || by.userId !== claim.userId) return refuse('its caller has no access now');
    const { address, requestId } = claim;
    return { by: { ...by, address, requestId }, bodyDigest: claim.body };
  }
}
