import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, LayoutDashboard, List, Plus, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { meQuery } from '../api/queries.ts';
import { useTexts } from '../texts/texts.ts';
import { WaitingBadge } from './badge.tsx';

/** Navigation on phones, within reach of the thumb. Labels are short: five share 360 pixels. */
export function BottomBar() {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  return (
    <nav
      aria-label={t.shell.navigation}
      // Hidden while the on-screen keyboard is open, to leave room for the text.
      className="flex shrink-0 border-t border-edge bg-panel pb-[env(safe-area-inset-bottom)] [@media(max-height:500px)]:[body:has(#composer:focus)_&]:hidden"
    >
      <Tab to="/" icon={<List size={20} />}>
        {t.shell.sessions}
      </Tab>
      <Tab to="/inbox" icon={<Inbox size={20} />}>
        {t.shell.inbox}
        <WaitingBadge className="absolute top-0.5 left-1/2 ml-1.5" />
      </Tab>
      {me?.rights.includes('run') === true && (
        <Tab to="/new" icon={<Plus size={20} />}>
          {t.shell.newShort}
        </Tab>
      )}
      <Tab to="/dashboard" icon={<LayoutDashboard size={20} />}>
        {t.shell.dashboardShort}
      </Tab>
      <Tab to="/settings" icon={<Settings size={20} />}>
        {t.shell.settings}
      </Tab>
    </nav>
  );
}

interface TabProps {
  readonly to: '/' | '/new' | '/inbox' | '/dashboard' | '/settings';
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

function Tab({ to, icon, children }: TabProps) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className="relative flex min-h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 px-0.5 text-center text-[11px] leading-tight whitespace-nowrap text-soft"
      activeProps={{ className: 'text-accent!' }}
    >
      {icon}
      {children}
    </Link>
  );
}
