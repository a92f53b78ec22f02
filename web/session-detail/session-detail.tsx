import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { Tabs } from 'radix-ui';
import type { Me } from '../../src/contract/access.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import { meQuery, sessionQuery } from '../api/queries.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { LoadError } from '../parts/notice.tsx';
import { useTitle } from '../parts/page.tsx';
import { SessionBadge } from '../parts/status.tsx';
import { Missing } from '../shell/not-found.tsx';
import { useTexts } from '../texts/texts.ts';
import { Actions } from './actions.tsx';
import { mayWork } from './available-actions.ts';
import { Overview } from './overview.tsx';

// Loaded when opened or about to be opened.
const CostTab = lazyPart(() => import('./cost-tab.tsx'), 'CostTab');
const RulesTab = lazyPart(() => import('./rules-tab.tsx'), 'RulesTab');
const EditTab = lazyPart(() => import('./edit-tab.tsx'), 'EditTab');
const EventsTab = lazyPart(() => import('./events-tab.tsx'), 'EventsTab');

const route = getRouteApi('/s/$id/detail');

/** `/s/…/detail`: everything about a session other than its conversation. */
export function Detail() {
  const t = useTexts();
  const { id } = route.useParams();
  const { data: session, error, refetch } = useQuery(sessionQuery(id));
  const { data: me } = useQuery(meQuery);
  useTitle(session?.name ?? '');
  // This is also shown if the session was deleted while the page was open.
  if (isBatonError(error, 'not_found')) return <Missing title={t.detail.missing} />;
  if (session !== undefined && me !== undefined)
    return <Loaded key={id} session={session} me={me} />;
  if (error === null) return null;
  return (
    <div className="p-6">
      <LoadError error={error} retry={() => void refetch()} />
    </div>
  );
}

function Loaded({ session, me }: { session: Session; me: Me }) {
  const t = useTexts();
  const mayEdit = mayWork(session, me);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-4xl px-6 py-6 max-md:px-4">
        <header className="mb-3">
          <Link
            to="/s/$id"
            params={{ id: session.id }}
            className="mb-1 inline-flex items-center gap-1.5 text-dense text-soft underline-offset-3 hover:underline max-md:min-h-11 max-md:min-w-11"
          >
            <MessageSquare size={14} aria-hidden />
            {t.detail.toConversation}
          </Link>
          <div className="flex flex-wrap items-center gap-2">
            <h1 className="text-xl font-semibold">{session.name}</h1>
            <SessionBadge session={session} />
            {session.held && <Badge text={t.detail.held} />}
            {session.archivedAt !== null && <Badge text={t.detail.archived} />}
          </div>
          {session.description !== '' && <p className="mt-1 text-soft">{session.description}</p>}
        </header>
        <Actions session={session} me={me} />
        <Tabs.Root defaultValue="overview" className="mt-5">
          <Tabs.List
            aria-label={t.detail.parts}
            className="mb-4 flex gap-1 overflow-x-auto border-b border-edge"
          >
            <Tab value="overview">{t.detail.overview}</Tab>
            <Tab value="cost" preload={CostTab.preload}>
              {t.detail.runsAndCost}
            </Tab>
            <Tab value="rules" preload={RulesTab.preload}>
              {t.detail.rules}
            </Tab>
            {mayEdit && (
              <Tab value="edit" preload={EditTab.preload}>
                {t.detail.edit}
              </Tab>
            )}
            <Tab value="events" preload={EventsTab.preload}>
              {t.detail.events}
            </Tab>
          </Tabs.List>
          <Tabs.Content value="overview">
            <Overview session={session} />
          </Tabs.Content>
          <Tabs.Content value="cost">
            <CostTab session={session} />
          </Tabs.Content>
          <Tabs.Content value="rules">
            <RulesTab session={session} mayEdit={mayEdit} />
          </Tabs.Content>
          {mayEdit && (
            <Tabs.Content value="edit">
              <EditTab session={session} me={me} />
            </Tabs.Content>
          )}
          <Tabs.Content value="events">
            <EventsTab session={session} />
          </Tabs.Content>
        </Tabs.Root>
      </div>
    </div>
  );
}

const Badge = ({ text }: { text: string }) => (
  <span className="rounded border border-line px-1.5 text-xs text-soft">{text}</span>
);

interface TabProps {
  readonly value: string;
  readonly preload?: () => void;
  readonly children: string;
}

const Tab = ({ value, preload, children }: TabProps) => (
  <Tabs.Trigger
    value={value}
    onPointerEnter={preload}
    className="min-h-9 shrink-0 border-b-2 border-transparent px-3 whitespace-nowrap text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink focus-visible:-outline-offset-2 max-md:min-h-11 max-md:min-w-11"
  >
    {children}
  </Tabs.Trigger>
);
