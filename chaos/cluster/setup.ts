/** Settings shared by all parts of one chaos run over a cluster. */
export const LEASE_SECONDS = 4;
export const APIS = 2;
export const WORKERS = 2;
/** Users with sessions of their own. */
export const PEOPLE = ['aki', 'ben', 'chie', 'dan'] as const;
/** One in this many of a person's sessions has readers; the others are followed only by hints. */
export const READ_EVERY = 5;
/** One in this many can be shared with the next person. */
export const SHARED_EVERY = 6;
/** The number of simultaneous readers of single runs. */
export const RUN_READERS = 15;
/** The longest outage of the database. */
export const OUTAGE_MS = 20_000;
