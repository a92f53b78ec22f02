import { BatonError } from '../../../../contract/errors.ts';
import { type Op, queryOne } from '../../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../../dialect.ts';

/** Reads only; a writing operation all the same, because only those have a line in the audit log. */
export function* readCall(_dialect: Dialect, _now: number, id: string): Op<Done<string | null>> {
  const row = yield* queryOne<{ original: string | null }>(
    'SELECT original FROM approvals WHERE id = $1',
    [id],
  );
  if (row === null) throw new BatonError('not_found');
  return { value: row.original, hint: NO_HINT };
}
