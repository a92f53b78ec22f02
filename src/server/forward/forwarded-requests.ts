import type { Authenticator } from '../../access/authenticator.ts';
import type { Principal } from '../../access/principal.ts';
import type { Logger } from '../../queue/logger.ts';
import { LIFE_MAX_MS, openCredential, proofOf, type RequestLine } from './credential.ts';
import type { DatabaseClock } from './database-clock.ts';
import { UsedNumbers } from './used-numbers.ts';

/** A request that another node forwarded. */
export interface Forwarded {
  /** The caller, with the rights they have now. */
  readonly by: Principal;
  /** The digest that the body must have. */
  readonly bodyDigest: string;
}

export interface ForwardedOptions {
  readonly key: Buffer;
  /** This node's id; null while the node has none. */
  readonly nodeId: () => string | null;
  readonly clock: DatabaseClock;
  readonly authenticator: Pick<Authenticator, 'byName'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Decides at the destination whether a forwarded request is accepted (X7). The body has not been
 * read at that point; its digest is compared later.
 */
export class ForwardedRequests {
  readonly #options: ForwardedOptions;
  readonly #numbers = new UsedNumbers();

  constructor(options: ForwardedOptions) {
    this.#options = options;
  }

  /**
   * Proves to the forwarding node that this is the node it signed the request for; null if it is
   * not. Errors need the proof as well, so it does not depend on whether the request is accepted.
   */
  proofFor(credential: unknown, line: RequestLine): string | null {
    const { key, nodeId } = this.#options;
    const claim = typeof credential === 'string' ? openCredential(key, credential, line) : null;
    return claim === null || claim.node !== nodeId() ? null : proofOf(key, claim);
  }

  async accept(credential: unknown, line: RequestLine): Promise<Forwarded | null> {
    const { key, nodeId, clock, authenticator, log } = this.#options;
    const claim = typeof credential === 'string' ? openCredential(key, credential, line) : null;
    if (claim === null) return null;
    const refuse = (reason: string): null => {
      // Only a node can reach this point, so strangers cannot fill the log.
      log.warn({ reason, requestId: claim.requestId }, 'Refused a request from another node');
      return null;
    };
    if (claim.node !== nodeId())
      return refuse('it is for another node, or for an earlier start of this one');
    const now = await clock.now();
    if (claim.expiresAt <= now) return refuse('it has expired');
    if (claim.expiresAt > now + LIFE_MAX_MS) return refuse('it is valid for too long');
    if (!this.#numbers.use(claim.number, claim.expiresAt, now)) return refuse('it was used before');
    const by = await authenticator.byName(claim.credential);
    if (by === null || by.userId !== claim.userId) return refuse('its caller no longer has access');
    const { address, requestId } = claim;
    return { by: { ...by, address, requestId }, bodyDigest: claim.body };
  }
}
