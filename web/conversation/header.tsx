import { Link } from '@tanstack/react-router';
import { ChevronLeft, PanelRight, Search } from 'lucide-react';
import type { Session } from '../../src/contract/session.ts';
import { IconButton } from '../parts/button.tsx';
import { Money } from '../parts/money.tsx';
import { RunBadge, StatusBadge, StatusDot } from '../parts/status.tsx';
import { useTexts } from '../texts/texts.ts';
import type { Current } from './blocks.ts';

const STATES = {
  starting: 'dequeued',
  running: 'running',
  waiting: 'waiting',
  delayed: 'retry_scheduled',
} as const;

interface Props {
  readonly session: Session;
  readonly current: Current | null;
  readonly onSearch: () => void;
}

export function Header({ session, current, onSearch }: Props) {
  const t = useTexts();
  const link =
    'inline-flex size-8 shrink-0 items-center justify-center rounded text-soft hover:bg-raised hover:text-ink max-md:size-11';
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-edge bg-panel px-4 max-md:px-1">
      <Link to="/" aria-label={t.conversation.back} className={`md:hidden ${link}`}>
        <ChevronLeft size={20} />
      </Link>
      <StatusDot status={session.status} busy={current !== null} />
      <h1 className="min-w-0 truncate font-semibold">{session.name}</h1>
      <span role="status" className="shrink-0">
        {current === null ? (
          <span className="max-sm:hidden">
            <StatusBadge status={session.status} />
          </span>
        ) : (
          <RunBadge state={STATES[current.state]} />
        )}
      </span>
      <span className="grow" />
      {session.costUsd > 0 && (
        <span title={t.conversation.cost} className="shrink-0 text-dense text-soft">
          <Money usd={session.costUsd} />
        </span>
      )}
      <IconButton label={t.conversation.search} onClick={onSearch}>
        <Search size={16} />
      </IconButton>
      <Link
        to="/s/$id/detail"
        params={{ id: session.id }}
        aria-label={t.conversation.details}
        title={t.conversation.details}
        className={link}
      >
        <PanelRight size={16} />
      </Link>
    </header>
  );
}
