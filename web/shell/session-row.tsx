import { Link } from '@tanstack/react-router';
import type { Session } from '../../src/contract/session.ts';
import { activityOf } from '../parts/activity.ts';
import { Money } from '../parts/money.tsx';
import { StatusDot } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { seen } from './seen-sessions.ts';
import { isUnread } from './unread.ts';

/** The browser lays out rows only when they are about to become visible. */
const ROW =
  'block rounded px-2 py-1.5 [contain-intrinsic-size:auto_54px] [content-visibility:auto] hover:bg-raised max-md:min-h-11 max-md:py-2.5';

export function SessionRow({ session }: { session: Session }) {
  const t = useTexts();
  const isNew = isUnread(useStore(seen)[session.id], session);
  return (
    <Link
      to="/s/$id"
      params={{ id: session.id }}
      className={ROW}
      activeProps={{ className: 'bg-raised', 'aria-current': 'page' }}
    >
      <span className="flex items-center gap-2">
        <StatusDot status={session.status} activity={activityOf(session)} />
        <span className={`min-w-0 grow truncate ${isNew ? 'font-semibold' : ''}`}>
          {session.name}
        </span>
        {isNew && (
          <span
            role="img"
            aria-label={t.shell.unread}
            title={t.shell.unread}
            className="size-1.5 shrink-0 rounded-full bg-info"
          />
        )}
        <Ago at={session.lastActiveAt} className="shrink-0 text-xs text-soft" />
      </span>
      <span className="flex items-center gap-2 pl-4 text-dense text-soft">
        <span className="min-w-0 grow truncate">
          {session.lastResponse ?? (session.description || t.common.status[session.status])}
        </span>
        {session.costUsd > 0 && <Money usd={session.costUsd} className="shrink-0 text-xs" />}
      </span>
    </Link>
  );
}
