import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Command, Inbox, LayoutDashboard, PanelLeftClose, Plus, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { meQuery } from '../api/queries.ts';
import { IconButton } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';
import { WaitingBadge } from './badge.tsx';
import { ConnectionDot } from './connection.tsx';
import { paletteOpen } from './palette-state.ts';
import { SessionList } from './session-list.tsx';

export function Sidebar({ onCollapse }: { onCollapse: () => void }) {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const mayRun = me?.rights.includes('run') === true;
  return (
    <aside className="flex w-[280px] shrink-0 flex-col border-r border-edge bg-panel">
      <div className="flex items-center gap-1 px-3 pt-2">
        <Link to="/" className="grow text-base font-semibold">
          Baton
        </Link>
        <IconButton label={t.shell.palette} onClick={() => paletteOpen.set(true)}>
          <Command size={16} />
        </IconButton>
        <IconButton label={t.shell.collapse} onClick={onCollapse}>
          <PanelLeftClose size={16} />
        </IconButton>
      </div>
      <nav aria-label={t.shell.navigation} className="px-2 pt-1">
        {mayRun && (
          <Item to="/new" icon={<Plus size={16} />}>
            {t.shell.newSession}
          </Item>
        )}
        <Item to="/inbox" icon={<Inbox size={16} />} badge={<WaitingBadge />}>
          {t.shell.inbox}
        </Item>
        <Item to="/dashboard" icon={<LayoutDashboard size={16} />}>
          {t.shell.dashboard}
        </Item>
        <Item to="/settings" icon={<Settings size={16} />}>
          {t.shell.settings}
        </Item>
      </nav>
      <div className="min-h-0 grow border-t border-edge mt-2">
        <SessionList />
      </div>
      <footer className="flex items-center justify-between gap-2 border-t border-edge px-3 py-1.5">
        <ConnectionDot />
        <span className="truncate text-xs text-soft">{me?.user.name}</span>
      </footer>
    </aside>
  );
}

interface ItemProps {
  readonly to: '/new' | '/inbox' | '/dashboard' | '/settings';
  readonly icon: ReactNode;
  readonly badge?: ReactNode;
  readonly children: ReactNode;
}

function Item({ to, icon, badge, children }: ItemProps) {
  return (
    <Link
      to={to}
      className="flex min-h-8 items-center gap-2 rounded px-2 text-soft hover:bg-raised hover:text-ink"
      activeProps={{ className: 'bg-raised text-ink!' }}
    >
      {icon}
      <span className="grow">{children}</span>
      {badge}
    </Link>
  );
}
