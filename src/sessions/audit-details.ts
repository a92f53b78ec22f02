import { entryOf, type NewAuditEntry, type Principal } from '../access/principal.ts';
import type { AuditAction } from '../contract/audit.ts';
import type { Json } from '../contract/json.ts';
import type { SessionAction, UpdateSession } from '../contract/session.ts';
import type { SessionWithFacts } from './session-record.ts';

/* What the audit log tells of a change beside who, what and when (P6): small, and masked before. */

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

/** A description is cut to this. */
const TEXT_MAX = 100;

/** Only what is changed, as it was and as it will be. */
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

/** What a session was before an action on it; the action says what it is after. */
export function ofAction({ session, held }: SessionWithFacts, action: SessionAction): Details {
  if (action === 'hold' || action === 'resume') return { before: { held } };
  if (action === 'archive') return { before: { archived: session.archivedAt !== null } };
  return { before: { status: session.status } };
}
