/** A problem the person who starts Baton can fix: what happened, why, what to do, a line each. */
export class SetupError extends Error {}
