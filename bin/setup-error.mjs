/**
 * A problem that the person starting Baton can fix: what happened, why, and what to do, on a line
 * each.
 */
export class SetupError extends Error {}
