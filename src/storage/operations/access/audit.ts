import type { AuditFilter, AuditRecord } from '../../../access/access-store.ts';
import type { NewAuditEntry } from '../../../access/principal.ts';
import { AUDIT_COLUMNS, type AuditRow, auditValues, toAudit } from '../../access-rows.ts';
import { plain } from '../../session-rows.ts';
import { type Op, query, type Value } from '../../statement.ts';

export function* appendAudit(now: number, entry: NewAuditEntry): Op<void> {
  yield* query(
    `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [now, ...auditValues(entry)],
    'append_audit',
  );
}

export function* listAudit(filter: AuditFilter): Op<AuditRecord[]> {
  const values: Value[] = [filter.limit];
  const where: string[] = [];
  const add = (condition: string, value: Value | undefined): void => {
    if (value === undefined) return;
    where.push(`${condition} $${values.push(typeof value === 'string' ? plain(value) : value)}`);
  };
  add('user_id =', filter.userId);
  add('action =', filter.action);
  add('target_id =', filter.target);
  add('channel =', filter.channel);
  add('at >=', filter.from);
  add('at <', filter.to);
  add('seq <', filter.before);
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const rows = yield* query<AuditRow>(
    `SELECT seq, ${AUDIT_COLUMNS} FROM audit ${condition} ORDER BY seq DESC LIMIT $1`,
    values,
  );
  return rows.map(toAudit);
}
