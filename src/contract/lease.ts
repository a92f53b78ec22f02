/** How long a node's lease lasts by default, in seconds. */
export const LEASE_SECONDS = 30;

/** How often a lease is renewed by default. */
export const renewMsOf = (leaseMs: number): number => leaseMs / 3;
