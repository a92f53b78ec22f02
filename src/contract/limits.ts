/* What the page of a browser must know as well; here, so that it need not load the schemas. */

/** Of a message, in characters; the body limit counts besides. */
export const MESSAGE_MAX = 500_000;

/** Files with one message (A11). */
export const ATTACHMENTS_MAX = 10;
/** Of all files of a message together, decoded. */
export const ATTACHMENTS_BYTES = 20 * 1024 * 1024;
/** As base64 in JSON that is a third more, beside the message itself. */
export const ATTACHMENTS_BODY_BYTES = 28 * 1024 * 1024;

/** Sessions with one of these are kept from deletion (S12, P5). */
export const PROTECTED_LABELS: readonly string[] = ['important', 'audit'];

/** Of a session's name, in characters. */
export const SESSION_NAME_MAX = 80;

/** Of the reason for stopping everything, in characters. */
export const STOP_REASON_MAX = 500;
/** Why a run was handed back, in its `run.handed_back` event, if everything was stopped. */
export const EVERYTHING_STOPPED = 'everything was stopped';
