/**
 * Every error a caller can get, with its HTTP status. Codes are stable. docs/errors.md lists them,
 * and a test keeps it up to date.
 */
export const ERRORS = {
  invalid_request: [400, 'A field is missing, unknown, of the wrong type or out of range.'],
  unknown_type: [400, 'No handler is registered for this type of run.'],
  invalid_payload: [400, 'The payload does not match the schema of its run type.'],
  payload_too_large: [413, 'The payload is larger than allowed.'],
  unsupported_media_type: [
    415,
    'The body must be JSON in UTF-8, with Content-Type: application/json.',
  ],
  headers_too_large: [431, 'The request headers are larger than allowed.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  unauthorized: [401, 'The request has no credential, or its credential is not valid.'],
  not_found: [404, 'Nothing with this id exists, or you do not have access to it.'],
  idempotency_conflict: [409, 'The idempotency key was already used with a different body.'],
  lane_busy: [409, 'This lane has an active or queued run, and the request said not to wait.'],
  run_not_queued: [
    409,
    'The run has started or ended, so it can no longer be edited, moved or removed.',
  ],
  session_state: [409, 'The current status of the session does not allow this.'],
  session_ended: [409, 'The session was completed or terminated. Reopen it first.'],
  session_busy: [409, 'This session has an active or queued run. Wait for the run, or cancel it.'],
  session_protected: [409, 'The session has a label that protects it from deletion.'],
  name_taken: [409, 'You already have a session with this name.'],
  conversation_taken: [409, 'The agent reported a conversation that belongs to another session.'],
  cannot_steer: [409, 'The running agent cannot accept a message until its run ends.'],
  contains_mask: [
    400,
    'The text contains a mask in place of a secret. Type the secret in full, or remove the mask.',
  ],
  not_available: [400, 'This is not available in this version, or is not enabled.'],
  status_managed: [403, 'Session status is managed automatically by the system.'],
  forbidden: [403, 'This credential does not have the right to do that.'],
  host_refused: [
    403,
    'The Host header does not match any of this server’s names. Add the name to BATON_ALLOWED_HOSTS.',
  ],
  origin_refused: [
    403,
    'The request comes from another site, or does not say where it comes from.',
  ],
  sign_in_failed: [
    401,
    'The sign-in code is unknown, expired or already used, or the token is not valid.',
  ],
  user_exists: [409, 'Another user has this name.'],
  unknown_user: [400, 'No user has this name or id.'],
  last_admin: [
    409,
    'The built-in administrator cannot be disabled, renamed or given another role.',
  ],
  approval_decided: [409, 'The question was already answered or withdrawn.'],
  invalid_input: [400, 'The edited input does not have the same fields and types as the original.'],
  policy_denied: [403, 'The tool rules do not allow this.'],
  cursor_ahead: [400, 'The cursor is beyond the end of the log.'],
  queue_full: [429, 'The session has reached its limit of queued runs. Try again later.'],
  rate_limited: [429, 'Too many requests. Try again later.'],
  too_many_streams: [429, 'Too many open streams. Close some, or try again later.'],
  secret_file: [
    500,
    'A key or token file cannot be used: other users can read it, or it is damaged.',
  ],
  key_mismatch: [500, 'This database was encrypted with a different secret key.'],
  run_finished: [409, 'The run has already ended.'],
  run_not_finished: [409, 'The run has not ended yet, so there is nothing to retry.'],
  run_not_waiting: [409, 'The run has no open question.'],
  node_lost: [409, 'This node lost its lease; others may have taken over its runs.'],
  database_unreachable: [503, 'The database is not responding. Baton keeps trying.'],
  database_refused: [500, 'The database rejected the login.'],
  database_newer: [500, 'The database was created by a newer version of Baton.'],
  database_outdated: [
    500,
    'The database was created by an early development version of Baton and cannot be upgraded.',
  ],
  database_read_only: [
    503,
    "The database is read-only. Check the permissions of its file and directory, or the server's read-only setting.",
  ],
  database_replaced: [
    503,
    'The database file was removed or replaced while the server was running; nothing was changed.',
  ],
  disk_full: [503, 'The disk is full; nothing was changed.'],
  database_corrupt: [500, 'The database file is damaged or is not a Baton database.'],
  data_in_use: [409, 'Another process is using this data directory.'],
  everything_stopped: [
    409,
    'Everything is stopped, and this operation needs a worker. Try again after an administrator has resumed work.',
  ],
  host_in_use: [409, 'Another machine already uses this host id.'],
  host_away: [503, 'No node on this host responded in time. Try again later.'],
  misdirected: [
    421,
    'Another node forwarded this request, but what it asks for is not on this host.',
  ],
  workspace_unreachable: [409, "The session's workspace is not available on that host."],
  database_failed: [500, 'The database rejected a statement; nothing was changed.'],
  closed: [503, 'The queue is closed or closing.'],
  server_unreachable: [
    503,
    'No Baton server is responding at this address. Start one, or correct the address.',
  ],
  bad_answer: [
    502,
    'The response could not be understood. The server runs another version, or is not Baton.',
  ],
  internal: [500, 'Something went wrong inside Baton.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * An error with a code, from an API call, a command or startup. A run's outcome is a value, not an
 * error.
 */
export class BatonError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** The id of the request that failed, if it came over HTTP. */
  readonly requestId: string | undefined;
  override readonly name = 'BatonError';

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code][1],
    options: { details?: unknown; cause?: unknown; requestId?: string | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.requestId = options.requestId;
  }

  get status(): number {
    return ERRORS[this.code][0];
  }
}

export const isBatonError = (error: unknown, code?: ErrorCode): error is BatonError =>
  error instanceof BatonError && (code === undefined || error.code === code);
