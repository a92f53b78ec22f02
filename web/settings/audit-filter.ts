import { UserId } from '../../src/contract/access.ts';
import { AuditAction } from '../../src/contract/audit.ts';
import { Channel } from '../../src/contract/message.ts';

/** What the API takes. */
export interface AuditFilter {
  readonly userId?: string;
  readonly action?: AuditAction;
  readonly target?: string;
  readonly channel?: Channel;
  readonly from?: string;
  readonly to?: string;
}

/** What is written in the form; days are those of the person's own clock. */
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

/** The days are both included. */
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

/** The beginning of a day, or of one behind it, where the person is. */
function startOf(day: string, later: number): string | null {
  const [year, month, date] = day.split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  const time = new Date(year, month - 1, date + later);
  // A year of two digits would be one of the last century.
  time.setFullYear(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
