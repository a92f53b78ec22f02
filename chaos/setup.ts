import { createHash } from 'node:crypto';

/** Settings shared by all parts of one chaos run. */
export const LANES = Array.from({ length: 60 }, (_, i) => `lane-${i}`);
/** Held from start to end: runs queued there must still be queued afterwards. */
export const HELD_LANES = ['held-0', 'held-1'];
/** Some lanes belong to a host, and some to the host of their first claim. */
export const hostOptionsOf = (lane: number): { host?: string; pin?: boolean } =>
  lane % 10 === 3 ? { host: HOSTS[lane % HOSTS.length]! } : lane % 10 === 7 ? { pin: true } : {};
export const OWNERS = 10;
export const STEADY = ['second-0', 'second-1', 'second-2'];
export const UNSTEADY = 'second-paused';
export const SCHEDULE_LANES = [...STEADY, UNSTEADY].map((id) => `of-${id}`);
export const ALL_LANES = [...LANES, ...HELD_LANES, ...SCHEDULE_LANES];

export const LEASE_MS = 2000;
export const CAPS = { types: { agent: 3 }, perOwner: 2 } as const;
export const CONCURRENCY = 4;
/** Two workers on each of two hosts: a neighbour can prove a death; other hosts wait for the lease. */
export const HOSTS = ['one', 'one', 'two', 'two'];

/** The arguments of a worker process. */
export interface WorkerSetup {
  readonly url: string;
  readonly file: string;
  readonly host: string;
  readonly seed: number;
}

/** The payload of every run: it determines what the handler does. */
export interface Work {
  /** The number of the driver's request. */
  readonly n?: number;
  readonly ms: number;
  readonly kind:
    | 'plain'
    | 'flaky'
    | 'final'
    | 'emits'
    | 'asks'
    | 'commits'
    | 'parks'
    | 'returns'
    | 'deaf';
}

/** The machine's monotonic clock, shared by all its processes. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

export const digestOf = (fields: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(fields)).digest('base64').slice(0, 16);

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
