import { Clock, Hand } from 'lucide-react';
import type { RunState } from '../../src/contract/run.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';
import { useTexts } from '../texts/texts.ts';
import { type Activity, activityOf } from './activity.ts';
import { useStopped } from './use-stopped.ts';

/* A state is shown by colour, shape and text. */

const DOTS: Record<SessionStatus, string> = {
  PENDING: 'bg-warn',
  // Ready does not mean working; someone may just be reading.
  ACTIVE: 'bg-line',
  IDLE: 'bg-line',
  ERROR: 'border-2 border-bad',
  COMPLETED: 'bg-info rounded-none rotate-45',
  TERMINATED: 'bg-bad rounded-none',
};

/** The activity of a session, or its status if it has none; the same everywhere. */
export function StatusDot(props: { status: SessionStatus; activity: Activity }) {
  const t = useTexts();
  const { status } = props;
  const activity = useStopped() && props.activity === 'working' ? null : props.activity;
  if (activity === 'asking' || activity === 'delayed') {
    const Icon = activity === 'asking' ? Hand : Clock;
    const label = t.common.run[activity === 'asking' ? 'waiting' : 'retry_scheduled'];
    // The icon takes up as much space as a dot.
    return (
      <Icon size={14} className="-mx-[3px] shrink-0 text-warn" role="img" aria-label={label} />
    );
  }
  const style = activity === 'working' ? 'bg-accent animate-beat' : DOTS[status];
  const label = activity === 'working' ? t.common.run.running : t.common.status[status];
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`inline-block size-2 shrink-0 rounded-full ${style}`}
    />
  );
}

const STATUS_BADGES: Record<SessionStatus, string> = {
  PENDING: 'text-warn border-warn',
  ACTIVE: 'text-soft border-line',
  IDLE: 'text-soft border-line',
  ERROR: 'text-bad border-bad',
  COMPLETED: 'text-info border-info',
  TERMINATED: 'bg-bad text-on-bad border-bad',
};

const BADGE = 'inline-flex items-center gap-1 rounded border px-1.5 text-xs whitespace-nowrap';

export function StatusBadge({ status }: { status: SessionStatus }) {
  const t = useTexts();
  return <span className={`${BADGE} ${STATUS_BADGES[status]}`}>{t.common.status[status]}</span>;
}

const ACTIVITY_BADGES = {
  asking: 'waiting',
  delayed: 'retry_scheduled',
  working: 'running',
} as const;

/** The activity of a session, or else its status. */
export function SessionBadge({ session }: { session: Session }) {
  const isStopped = useStopped();
  const activity = activityOf(session);
  if (activity === null) return <StatusBadge status={session.status} />;
  if (activity === 'working' && isStopped) return <RunBadge state="queued" />;
  return <RunBadge state={ACTIVITY_BADGES[activity]} />;
}

const RUN_BADGES: Record<RunState, string> = {
  queued: 'text-soft border-line',
  dequeued: 'text-accent border-accent',
  running: 'text-accent border-accent',
  waiting: 'text-warn border-warn',
  retry_scheduled: 'text-warn border-warn',
  succeeded: 'text-good border-good',
  failed: 'text-bad border-bad',
  dead: 'bg-bad text-on-bad border-bad',
  cancelled: 'text-soft border-line line-through',
};

export function RunBadge({ state }: { state: RunState }) {
  const t = useTexts();
  return <span className={`${BADGE} ${RUN_BADGES[state]}`}>{t.common.run[state]}</span>;
}
