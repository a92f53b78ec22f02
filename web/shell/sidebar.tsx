import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Command, PanelLeftClose } from 'lucide-react';
import { meQuery } from '../api/queries.ts';
import { IconButton } from '../parts/button.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { ConnectionDot } from './connection.tsx';
import { type NavPage, pagesFor } from './nav-page.ts';
import { paletteOpen } from './palette-state.ts';
import { SessionList } from './session-list.tsx';

interface SidebarProps {
  readonly pages: readonly NavPage[];
  readonly onCollapse: () => void;
}

export function Sidebar({ pages, onCollapse }: SidebarProps) {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const language = useLanguage();
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
        {pagesFor(pages, me?.rights ?? []).map(({ to, name, icon: Icon, badge: Badge }) => (
          <Link
            key={to}
            to={to}
            className="flex min-h-8 items-center gap-2 rounded px-2 text-soft hover:bg-raised hover:text-ink"
            activeProps={{ className: 'bg-raised text-ink!' }}
          >
            <Icon size={16} />
            <span className="grow">{name[language]}</span>
            {Badge && <Badge />}
          </Link>
        ))}
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
