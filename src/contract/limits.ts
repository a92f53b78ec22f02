/* Limits that the web app needs too. They are kept apart from the schemas, which it does not load. */

/** In characters. The limit on the request body applies as well. */
export const MESSAGE_MAX = 500_000;

/** Files per message (A11). */
export const ATTACHMENTS_MAX = 10;
/** Total size of a message's files, decoded. */
export const ATTACHMENTS_BYTES = 20 * 1024 * 1024;
/** Base64 makes them a third larger; the rest is for the message itself. */
export const ATTACHMENTS_BODY_BYTES = 28 * 1024 * 1024;

/** Labels that protect a session from deletion (S12, P5). */
export const PROTECTED_LABELS: readonly string[] = ['important', 'audit'];

/** In characters. */
export const SESSION_NAME_MAX = 80;

/** In characters. */
export const STOP_REASON_MAX = 500;
/** The reason in a run's `run.handed_back` event after an administrator stopped everything. */
export const EVERYTHING_STOPPED = 'everything was stopped';
