/*
 * Limits that several folders share, the web app among them, which does not load the schemas.
 */

/** In characters. The limit on the request body also applies. */
export const MESSAGE_MAX = 500_000;

/** In characters of JSON: an edited call is masked and judged before it is stored. */
export const EDITED_INPUT_MAX = 256 * 1024;

/** The maximum number of files per message (A11). */
export const ATTACHMENTS_MAX = 10;
/** Total size of a message's files, decoded. */
export const ATTACHMENTS_BYTES = 20 * 1024 * 1024;
/** Base64 makes files a third larger; the rest is for the message itself. */
export const ATTACHMENTS_BODY_BYTES = 28 * 1024 * 1024;

/** Labels that protect a session from deletion (S12, P5). */
export const PROTECTED_LABELS: readonly string[] = ['important', 'audit'];

/** In characters. */
export const SESSION_NAME_MAX = 80;

/** In characters. */
export const STOP_REASON_MAX = 500;
/** The reason in a run's `run.handed_back` event after an administrator stopped everything. */
export const EVERYTHING_STOPPED = 'everything was stopped';

/** Requests per minute without a credential from one address, by default. */
export const STRANGER_LIMIT = 60;
/** Open streams per user, by default. */
export const STREAM_LIMIT = 200;
