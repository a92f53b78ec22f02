/**
 * A problem that the person starting Baton can fix: what happened, why, and what to do, each on its
 * own line.
 */
export class SetupError extends Error {}
