/** What all parts of one run of chaos over the cluster agree on. */
export const LEASE_SECONDS = 4;
export const APIS = 2;
export const WORKERS = 2;
/** People with sessions of their own. */
export const PEOPLE = ['aki', 'ben', 'chie', 'dan'] as const;
/** Of the sessions of each: every so many is followed by readers; the others only by hints. */
export const READ_EVERY = 5;
/** Every so many can be shared with the next of the people. */
export const SHARED_EVERY = 6;
/** Readers of single runs at a time. */
export const RUN_READERS = 15;
/** The outage that is asked for. */
export const OUTAGE_MS = 20_000;
