import { UserId } from '../../src/contract/access.ts';
import { AuditAction } from '../../src/contract/audit.ts';
import { Channel } from '../../src/contract/message.ts';

/** The filter in the form that the API expects. */
export interface AuditFilter {
  readonly userId?: string;
  readonly action?: AuditAction;
  readonly target?: string;
  readonly channel?: Channel;
  readonly from?: string;
  readonly to?: string;
}

/** The form; days are in the user's time zone. */
export interface AuditForm {
  readonly userId: string;
  readonly action: string;
  readonly target: string;
  readonly channel: string;
  readonly fromDay: string;
  readonly toDay: string;
}
export const NO_FILTER: AuditForm = {
  userId: '',
  action: '',
  target: '',
  channel: '',
  fromDay: '',
  toDay: '',
};

/** Includes both days. */
export function toFilter(form: AuditForm): AuditFilter {
  const target = form.target.trim().slice(0, 200);
  const userId = UserId.safeParse(form.userId).data;
  const action = AuditAction.safeParse(form.action).data;
  const channel = Channel.safeParse(form.channel).data;
  const from = startOf(form.fromDay, 0);
  const to = startOf(form.toDay, 1);
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(action === undefined ? {} : { action }),
    ...(target === '' ? {} : { target }),
    ...(channel === undefined ? {} : { channel }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  };
}

/** The start of the day that is `later` days after the given one, in the user's time zone. */
function startOf(day: string, later: number): string | null {
  const [year, month, date] = day.split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  const time = new Date(year, month - 1, date + later);
  // The constructor would read a two-digit year as 19xx.
  time.setFullYear(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
