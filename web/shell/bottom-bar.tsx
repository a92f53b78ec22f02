import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { List } from 'lucide-react';
import type { ReactNode } from 'react';
import { meQuery } from '../api/queries.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { type NavPage, pagesFor } from './nav-page.ts';

/**
 * Navigation on phones, within reach of the thumb. Labels are short, because five of them share 360
 * pixels.
 */
export function BottomBar({ pages }: { pages: readonly NavPage[] }) {
  const t = useTexts();
  const language = useLanguage();
  const { data: me } = useQuery(meQuery);
  const tabs = pagesFor(pages, me?.rights ?? [])
    .filter(({ tab }) => tab !== undefined)
    .toSorted((a, b) => Number(a.tab?.place) - Number(b.tab?.place));
  return (
    <nav
      aria-label={t.shell.navigation}
      // Hidden while the on-screen keyboard is open, to leave room for the text.
      className="flex shrink-0 border-t border-edge bg-panel pb-[env(safe-area-inset-bottom)] [@media(max-height:500px)]:[body:has(#composer:focus)_&]:hidden"
    >
      <Tab to="/" icon={<List size={20} />}>
        {t.shell.sessions}
      </Tab>
      {tabs.map(({ to, name, tab, icon: Icon, badge: Badge }) => (
        <Tab key={to} to={to} icon={<Icon size={20} />}>
          {(tab?.name ?? name)[language]}
          {Badge && <Badge className="absolute top-0.5 left-1/2 ml-1.5" />}
        </Tab>
      ))}
    </nav>
  );
}

interface TabProps {
  readonly to: NavPage['to'];
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
