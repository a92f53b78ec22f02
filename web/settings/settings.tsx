import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Me } from '../../src/contract/access.ts';
import { meQuery } from '../api/queries.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { LoadError, Notice } from '../parts/notice.tsx';
import { useTitle } from '../parts/page.tsx';
import { useTexts } from '../texts/texts.ts';
import { Profile } from './profile.tsx';
import { isSection, mayOpen, type SectionName, sectionsFor } from './sections.ts';

// Loaded when opened or about to be opened.
const Tokens = lazyPart(() => import('./tokens.tsx'), 'Tokens');
const Users = lazyPart(() => import('./users.tsx'), 'Users');
const Rules = lazyPart(() => import('./rules.tsx'), 'Rules');
const Audit = lazyPart(() => import('./audit.tsx'), 'Audit');
const Nodes = lazyPart(() => import('./nodes.tsx'), 'Nodes');
const PRELOAD: Record<SectionName, (() => void) | undefined> = {
  profile: undefined,
  tokens: Tokens.preload,
  users: Users.preload,
  rules: Rules.preload,
  audit: Audit.preload,
  nodes: Nodes.preload,
};

/** `/settings` and `/settings/…`. On a phone the list of sections is its own page. */
export function Settings() {
  const { section } = useParams({ strict: false });
  const { data: me, error, refetch } = useQuery(meQuery);
  if (me !== undefined) return <Loaded me={me} section={section} />;
  return error === null ? null : (
    <div className="p-6">
      <LoadError error={error} retry={() => void refetch()} />
    </div>
  );
}

function Loaded({ me, section }: { me: Me; section: string | undefined }) {
  const t = useTexts();
  const shown = section ?? 'profile';
  const known = isSection(shown) ? shown : null;
  const title = known === null ? t.settings.title : t.settings.sections[known];
  useTitle(section === undefined ? t.settings.title : title);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-5xl gap-8 px-6 py-6 max-md:px-4">
        <nav
          aria-label={t.settings.title}
          className={`w-44 shrink-0 max-md:w-full ${section === undefined ? '' : 'max-md:hidden'}`}
        >
          <p className="mb-3 text-xl font-semibold">{t.settings.title}</p>
          <ul className="max-md:divide-y max-md:divide-edge max-md:rounded max-md:border max-md:border-edge max-md:bg-panel">
            {sectionsFor(me.rights).map((each) => (
              <li key={each}>
                <SectionLink name={each} isShown={each === shown} />
              </li>
            ))}
          </ul>
        </nav>
        <div className={`min-w-0 grow ${section === undefined ? 'max-md:hidden' : ''}`}>
          <Link
            to="/settings"
            className="mb-2 inline-flex min-h-11 min-w-11 items-center gap-1 text-soft md:hidden"
          >
            <ChevronLeft size={16} aria-hidden />
            {t.settings.title}
          </Link>
          <h1 className="mb-4 text-xl font-semibold">{title}</h1>
          <Shown name={known} me={me} />
        </div>
      </div>
    </div>
  );
}

function SectionLink({ name, isShown }: { name: SectionName; isShown: boolean }) {
  const t = useTexts();
  return (
    <Link
      to="/settings/$section"
      params={{ section: name }}
      aria-current={isShown ? 'page' : undefined}
      onPointerEnter={PRELOAD[name]}
      onFocus={PRELOAD[name]}
      className={`flex min-h-8 items-center rounded px-2 text-soft hover:bg-raised hover:text-ink max-md:min-h-12 max-md:px-4 max-md:text-ink ${isShown ? 'md:bg-raised md:text-ink' : ''}`}
    >
      <span className="grow">{t.settings.sections[name]}</span>
      <ChevronRight size={16} className="text-soft md:hidden" aria-hidden />
    </Link>
  );
}

function Shown({ name, me }: { name: SectionName | null; me: Me }): ReactNode {
  const t = useTexts();
  if (name === null) return <Notice tone="info" title={t.settings.noSection} />;
  if (!mayOpen(name, me.rights))
    return (
      <Notice tone="info" title={t.settings.notForYou}>
        {t.settings.notForYouHelp}
      </Notice>
    );
  switch (name) {
    case 'profile':
      return <Profile me={me} />;
    case 'tokens':
      return <Tokens me={me} />;
    case 'users':
      return <Users me={me} />;
    case 'rules':
      return <Rules />;
    case 'audit':
      return <Audit />;
    case 'nodes':
      return <Nodes />;
  }
}
