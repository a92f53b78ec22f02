import { entryOf, type NewAuditEntry, type Principal } from '../access/principal.ts';
import type { AuditAction } from '../contract/audit.ts';
import type { SessionAction, UpdateSession } from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';
import type { SessionWithFacts } from './session-record.ts';

/*
 * The `before` and `after` of audit log lines (P6). These values are small, and callers mask them
 * first.
 */

export interface Details {
  readonly before?: Json;
  readonly after?: Json;
}

export const onSession = (
  by: Principal,
  action: AuditAction,
  id: string,
  details: Details = {},
): NewAuditEntry => entryOf(by, action, { kind: 'session', id }, details);

export const onRun = (
  by: Principal,
  action: AuditAction,
  id: string,
  details: Details = {},
): NewAuditEntry => entryOf(by, action, { kind: 'run', id }, details);

/** Longer text, such as a description, is cut to this many characters. */
const TEXT_MAX = 100;

/** Only the fields that change, with their old and new values. */
export function ofUpdate(
  { session, holdOnFailure }: SessionWithFacts,
  changes: UpdateSession,
): Details {
  const was: Record<string, unknown> = { ...session, holdOnFailure };
  const before: Record<string, Json> = {};
  const after: Record<string, Json> = {};
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined || JSON.stringify(was[field]) === JSON.stringify(value)) continue;
    before[field] = short(was[field] as Json);
    after[field] = short(value);
  }
  return { before, after };
}

const short = (value: Json): Json =>
  typeof value === 'string' && value.length > TEXT_MAX
    ? `${value.slice(0, TEXT_MAX).toWellFormed()}…`
    : value;

/** The state before an action; the state after it follows from the action. */
export function ofAction({ session, held }: SessionWithFacts, action: SessionAction): Details {
  if (action === 'hold' || action === 'resume') return { before: { held } };
  if (action === 'archive') return { before: { archived: session.archivedAt !== null } };
  return { before: { status: session.status } };
}
