import { Link } from '@tanstack/react-router';
import { ChevronLeft, PanelRight, Search } from 'lucide-react';
import type { Session } from '../../src/contract/session.ts';
import { IconButton } from '../parts/button.tsx';
import { Money } from '../parts/money.tsx';
import { RunBadge, StatusBadge, StatusDot } from '../parts/status.tsx';
import { useStopped } from '../parts/use-stopped.ts';
import { useTexts } from '../texts/texts.ts';
import type { Current } from './log/blocks.ts';

const STATES = {
  starting: ['dequeued', 'working'],
  running: ['running', 'working'],
  waiting: ['waiting', 'asking'],
  delayed: ['retry_scheduled', 'delayed'],
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
  const [shown, activity] = current === null ? [null, null] : STATES[current.state];
  const isStopped = useStopped();
  const state = isStopped && shown === 'dequeued' ? 'queued' : shown;
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-edge bg-panel px-4 max-md:gap-0 max-md:px-1 max-md:py-1.5">
      <Link to="/" aria-label={t.conversation.back} className={`md:hidden ${link}`}>
        <ChevronLeft size={20} />
      </Link>
      {/* On a phone the name has its own line. */}
      <div className="flex min-w-0 grow items-center gap-2 max-md:flex-col max-md:items-stretch max-md:gap-0.5">
        <h1 title={session.name} className="min-w-0 truncate font-semibold max-md:leading-5">
          {session.name}
        </h1>
        <div className="flex min-w-0 items-center gap-1.5 md:contents">
          <span className="flex w-3.5 shrink-0 justify-center md:order-first">
            <StatusDot status={session.status} activity={activity} />
          </span>
          <span role="status" className="shrink-0">
            {state === null ? <StatusBadge status={session.status} /> : <RunBadge state={state} />}
          </span>
          {session.costUsd > 0 && (
            <span title={t.conversation.cost} className="shrink-0 text-dense text-soft md:ml-auto">
              <Money usd={session.costUsd} />
            </span>
          )}
        </div>
      </div>
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
