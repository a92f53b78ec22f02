import { Clock, Hand } from 'lucide-react';
import type { RunState } from '../../src/contract/run.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';
import { useTexts } from '../texts/texts.ts';
import { type Doing, doingOf } from './activity.ts';
import { useStopped } from './use-stopped.ts';

/* A state is told by colour, by shape and by a word. */

const DOTS: Record<SessionStatus, string> = {
  PENDING: 'bg-warn',
  // Ready, which says nothing of work: somebody may only be reading it.
  ACTIVE: 'bg-line',
  IDLE: 'bg-line',
  ERROR: 'border-2 border-bad',
  COMPLETED: 'bg-info rounded-none rotate-45',
  TERMINATED: 'bg-bad rounded-none',
};

/** What a session does; what it is, if it does nothing. The same wherever it is shown. */
export function StatusDot(props: { status: SessionStatus; doing: Doing }) {
  const t = useTexts();
  const { status } = props;
  const doing = useStopped() && props.doing === 'works' ? null : props.doing;
  if (doing === 'asks' || doing === 'delayed') {
    const Icon = doing === 'asks' ? Hand : Clock;
    const label = t.common.run[doing === 'asks' ? 'waiting' : 'retry_scheduled'];
    // As wide as a dot to what is beside it.
    return (
      <Icon size={14} className="-mx-[3px] shrink-0 text-warn" role="img" aria-label={label} />
    );
  }
  const look = doing === 'works' ? 'bg-accent animate-beat' : DOTS[status];
  const label = doing === 'works' ? t.common.run.running : t.common.status[status];
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`inline-block size-2 shrink-0 rounded-full ${look}`}
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

const DOING_BADGES = { asks: 'waiting', delayed: 'retry_scheduled', works: 'running' } as const;

/** What a session does, or else what it is. */
export function SessionBadge({ session }: { session: Session }) {
  const isStopped = useStopped();
  const doing = doingOf(session);
  if (doing === null) return <StatusBadge status={session.status} />;
  if (doing === 'works' && isStopped) return <RunBadge state="queued" />;
  return <RunBadge state={DOING_BADGES[doing]} />;
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
