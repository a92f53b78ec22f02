import type { Usage } from '../../access/access-store.ts';
import { isAdmin, type Principal } from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import { STRANGER_LIMIT, STREAM_LIMIT } from '../../contract/limits.ts';
import { networkOf } from './address.ts';
import { Buckets } from './buckets.ts';
import { Slots } from './slots.ts';

export interface LimitSettings {
  /** Requests per minute per user. */
  readonly perUser: number;
  /** Whether the limit also applies to admins. */
  readonly includeAdmin: boolean;
  /** Requests per minute per address without a valid credential, including failed sign-ins. */
  readonly perAddress: number;
  /** Open streams per user. */
  readonly streamsPerUser: number;
}

export const LIMITS: LimitSettings = {
  perUser: 100,
  includeAdmin: false,
  perAddress: STRANGER_LIMIT,
  streamsPerUser: STREAM_LIMIT,
};

/**
 * How many keys of each kind are shared with other nodes. Keys beyond the limit are counted on this
 * node only.
 */
const SHARED_MAX = 1000;

/**
 * The limits of SPEC H9, counted in memory: usage on this node and, through exchange.ts, on others.
 */
export class Limits {
  /** Open streams by user. */
  readonly streams: Slots;
  readonly #settings: LimitSettings;
  readonly #users: Buckets;
  readonly #addresses: Buckets;

  constructor(settings: Partial<LimitSettings> = {}, now: () => number = () => performance.now()) {
    this.#settings = { ...LIMITS, ...settings };
    this.#users = new Buckets(this.#settings.perUser, now);
    this.#addresses = new Buckets(this.#settings.perAddress, now);
    this.streams = new Slots(this.#settings.streamsPerUser);
  }

  /** Counts a request by a known user; throws `rate_limited` if it is one too many. */
  user(by: Principal): void {
    if (isAdmin(by) && !this.#settings.includeAdmin) return;
    refuseIf(this.#users.take(by.userId));
  }

  /** Counts a request without a valid credential, or a failed attempt to sign in. */
  stranger(address: string): void {
    refuseIf(this.#addresses.take(networkOf(address)));
  }

  /**
   * Counts a request for a page that came with the cookie but no page key. The limit is the same as for strangers, but each
   * user's pages at an address are counted separately from all other requests.
   */
  page({ userId }: Principal, address: string): void {
    refuseIf(this.#addresses.take(`${networkOf(address)} ${userId}`));
  }

  /** This node's usage, for the other nodes. */
  used(): Usage[] {
    return [
      ...prefixed('u', this.#users.used(SHARED_MAX)),
      ...prefixed('a', this.#addresses.used(SHARED_MAX)),
      ...prefixed('s', this.streams.taken().slice(-SHARED_MAX)),
    ];
  }

  /**
   * Takes into account what other nodes have admitted since the last exchange, and which streams
   * they have open now.
   */
  usedElsewhere(recent: readonly Usage[], now: readonly Usage[]): void {
    for (const { key, value } of recent) {
      if (key.startsWith('u:')) this.#users.takeForOthers(key.slice(2), value);
      if (key.startsWith('a:')) this.#addresses.takeForOthers(key.slice(2), value);
    }
    const streams = now.filter(({ key }) => key.startsWith('s:'));
    this.streams.elsewhere = new Map(streams.map(({ key, value }) => [key.slice(2), value]));
  }

  /** This node has a new id, so the others know nothing about its usage yet. */
  restart(): void {
    this.#users.restart();
    this.#addresses.restart();
  }
}

const prefixed = (kind: string, usage: readonly Usage[]): Usage[] =>
  usage.map(({ key, value }) => ({ key: `${kind}:${key}`, value }));

function refuseIf(waitMs: number): void {
  if (waitMs === 0) return;
  const details = { retryAfterSeconds: Math.ceil(waitMs / 1000) };
  throw new BatonError('rate_limited', undefined, { details });
}
