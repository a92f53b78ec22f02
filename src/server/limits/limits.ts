import type { Usage } from '../../access/access-store.ts';
import type { Principal } from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import { networkOf } from './address.ts';
import { Buckets } from './buckets.ts';
import { Places } from './places.ts';

export interface LimitSettings {
  /** Requests per minute and user. */
  readonly perUser: number;
  /** Whether admins are limited, too. */
  readonly includeAdmin: boolean;
  /** Requests per minute and address without a valid credential, failed sign-ins included. */
  readonly perAddress: number;
  /** Open streams of one user. */
  readonly streamsPerUser: number;
}

export const LIMITS: LimitSettings = {
  perUser: 100,
  includeAdmin: false,
  perAddress: 60,
  streamsPerUser: 200,
};

/** Keys of each kind that are told to other nodes; what is beyond them counts on this node alone. */
const SHARED_MAX = 1000;

/** The limits of SPEC H9 that are counted in memory: here, and what other nodes say (exchange.ts). */
export class Limits {
  /** Open streams by user. */
  readonly streams: Places;
  readonly #settings: LimitSettings;
  readonly #users: Buckets;
  readonly #addresses: Buckets;

  constructor(settings: Partial<LimitSettings> = {}, now: () => number = () => performance.now()) {
    this.#settings = { ...LIMITS, ...settings };
    this.#users = new Buckets(this.#settings.perUser, now);
    this.#addresses = new Buckets(this.#settings.perAddress, now);
    this.streams = new Places(this.#settings.streamsPerUser);
  }

  /** Counts a request of somebody who is known; throws `rate_limited` if it is one too many. */
  user({ userId, role }: Principal): void {
    if (role === 'admin' && !this.#settings.includeAdmin) return;
    refuseIf(this.#users.take(userId));
  }

  /** Counts a request without a valid credential, or a failed attempt to sign in. */
  stranger(address: string): void {
    refuseIf(this.#addresses.take(networkOf(address)));
  }

  /**
   * Counts a page that the cookie alone has opened: as often as a stranger, but apart from strangers
   * and from other people behind the same address, and from what its user may ask.
   */
  page({ userId }: Principal, address: string): void {
    refuseIf(this.#addresses.take(`${networkOf(address)} ${userId}`));
  }

  /** What this node has used, for the others. */
  used(): Usage[] {
    return [
      ...marked('u', this.#users.used(SHARED_MAX)),
      ...marked('a', this.#addresses.used(SHARED_MAX)),
      ...marked('s', this.streams.taken().slice(-SHARED_MAX)),
    ];
  }

  /** What all other nodes have let pass lately, and what they hold open now. */
  usedElsewhere(lately: readonly Usage[], now: readonly Usage[]): void {
    for (const { key, value } of lately) {
      if (key.startsWith('u:')) this.#users.takeForOthers(key.slice(2), value);
      if (key.startsWith('a:')) this.#addresses.takeForOthers(key.slice(2), value);
    }
    const streams = now.filter(({ key }) => key.startsWith('s:'));
    this.streams.elsewhere = new Map(streams.map(({ key, value }) => [key.slice(2), value]));
  }

  /** The others know this node by a new name, and have heard nothing of it. */
  restart(): void {
    this.#users.restart();
    this.#addresses.restart();
  }
}

const marked = (kind: string, usage: readonly Usage[]): Usage[] =>
  usage.map(({ key, value }) => ({ key: `${kind}:${key}`, value }));

function refuseIf(waitMs: number): void {
  if (waitMs === 0) return;
  const details = { retryAfterSeconds: Math.ceil(waitMs / 1000) };
  throw new BatonError('rate_limited', undefined, { details });
}
