import { BatonError } from '../../contract/errors.ts';

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** Turns SQLite's result codes into coded errors that say what to do. */
export function toBatonError(error: unknown, path: string): unknown {
  if (error instanceof BatonError) return error;
  const code = (error as { errcode?: unknown }).errcode;
  if (typeof code !== 'number') return error;
  const detail = error instanceof Error ? error.message : String(error);
  const options = { cause: error, details: { path } };
  // The low byte is the primary code; the rest says which system call failed.
  switch (code & 0xff) {
    case FULL:
      return new BatonError(
        'disk_full',
        `The disk that holds ${path} is full. Nothing was changed. Free some space and try again.`,
        options,
      );
    case READONLY:
      return new BatonError(
        'database_read_only',
        `${path} cannot be written. Check its permissions and those of its directory.`,
        options,
      );
    case CANTOPEN:
      return new BatonError(
        'database_read_only',
        `${path} cannot be opened or created. Check that its directory exists and is writable.`,
        options,
      );
    case CORRUPT:
    case NOTADB:
      return new BatonError(
        'database_corrupt',
        `${path} is damaged or is not a Baton database (${detail}). Restore a backup, or choose another file.`,
        options,
      );
    case BUSY:
      return new BatonError('data_in_use', `${path} is locked by another program.`, options);
    case IOERR:
      return new BatonError(
        'database_failed',
        `Reading or writing ${path} failed (${detail}). Check the disk.`,
        options,
      );
    default:
      return new BatonError(
        'database_failed',
        `The database rejected a statement: ${detail}`,
        options,
      );
  }
}
