import { BatonError } from '../../contract/errors.ts';

/** SQLSTATEs after which the same transaction may succeed when it is run again. */
const AGAIN = new Set([
  '40001', // serialisation failure
  '40P01', // deadlock
  '55P03', // lock not available in time
  '23505', // unique violation: two transactions created the same lane, or used the same key
]);

const AWAY = new Set(['57P01', '57P02', '57P03', '53300', '25P03']);
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

/**
 * The server is too busy: a statement timed out, memory ran out, or a race was lost again and
 * again.
 */
const BUSY = new Set(['57014', '53200', '55P03', '40001', '40P01']);

export const codeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? '');

export const isRetryable = (error: unknown): boolean => AGAIN.has(codeOf(error));

export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (AWAY.has(code) || NETWORK.has(code) || code.startsWith('08')) return true;
  const message = error instanceof Error ? error.message : '';
  // The driver's own errors have no codes.
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout/i.test(
    message,
  );
}

/** Turns errors from the driver and the server into coded ones. */
export function toBatonError(error: unknown): unknown {
  if (error instanceof BatonError) return error;
  const code = codeOf(error);
  const detail =
    error instanceof AggregateError
      ? (error.errors[0] as Error).message
      : error instanceof Error
        ? error.message
        : String(error);
  if (isAway(error) || BUSY.has(code)) {
    const what = BUSY.has(code) ? 'The database is too busy' : 'The database is not responding';
    return new BatonError('database_unreachable', `${what} (${detail}).`, { cause: error });
  }
  if (code === '28P01' || code === '28000' || code === '3D000' || code === '42501') {
    return new BatonError(
      'database_refused',
      `The database rejected the login: ${detail}. Check user, password and database name.`,
      { cause: error },
    );
  }
  if (code === '25006')
    return new BatonError(
      'database_read_only',
      'The database server is read-only, perhaps because it is a standby. Use the address of the primary.',
      { cause: error },
    );
  if (code === '53100')
    return new BatonError('disk_full', "The database server's disk is full. Nothing was changed.", {
      cause: error,
    });
  if (code !== '')
    return new BatonError('database_failed', `The database rejected a statement: ${detail}`, {
      cause: error,
      details: { sqlState: code },
    });
  return error;
}
