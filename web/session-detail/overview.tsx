import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isDriven } from '../../src/contract/agent-kinds.ts';
import type { Session } from '../../src/contract/session.ts';
import { userNamesQuery } from '../api/queries.ts';
import { Money } from '../parts/money.tsx';
import { Notice } from '../parts/notice.tsx';
import { Fact, Section } from '../parts/section.tsx';
import { Ago, exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { History } from './history.tsx';
import { workspacesQuery } from './queries.ts';

const FACTS = 'grid grid-cols-2 gap-x-6 gap-y-3 lg:grid-cols-3';

export function Overview({ session }: { session: Session }) {
  const t = useTexts();
  const locale = useStore(language);
  const { data: users } = useQuery(userNamesQuery);
  const { agent, budgetUsd, destroyAt, delayedUntil } = session;
  return (
    <>
      {session.error !== null && (
        <div className="mb-4">
          <Notice tone="bad" title={t.detail.broken}>
            {session.error}
          </Notice>
        </div>
      )}
      <Section title={t.detail.about}>
        <dl className={FACTS}>
          <Fact name={t.detail.agent}>
            {isDriven(agent.kind) ? t.agents[agent.kind].name : agent.kind}
            {agent.model !== undefined && (
              <span className="font-mono text-dense"> {agent.model}</span>
            )}
          </Fact>
          <Fact name={t.detail.owner}>{users?.get(session.ownerId) ?? t.detail.somebody}</Fact>
          <Fact name={t.detail.cost}>
            <Money usd={session.costUsd} />
            {budgetUsd !== null && (
              <span className="text-soft">
                {' / '}
                <Money usd={budgetUsd} />
              </span>
            )}
          </Fact>
          <Fact name={t.detail.created}>
            <Ago at={session.createdAt} />
          </Fact>
          <Fact name={t.detail.lastActive}>
            <Ago at={session.lastActiveAt} />
          </Fact>
          <Fact name={t.detail.connections}>{session.activeConnections}</Fact>
          {delayedUntil !== null && (
            <Fact name={t.detail.delayedUntil}>{exactTime(delayedUntil, locale)}</Fact>
          )}
          {destroyAt !== null && (
            <Fact name={t.detail.destroyAt}>{exactTime(destroyAt, locale)}</Fact>
          )}
          {session.tags.length > 0 && <Fact name={t.detail.tags}>{session.tags.join(', ')}</Fact>}
          {session.labels.length > 0 && (
            <Fact name={t.detail.labels}>{session.labels.join(', ')}</Fact>
          )}
          {session.forkedFrom !== null && (
            <Fact name={t.detail.forkedFrom}>
              <Link
                to="/s/$id"
                params={{ id: session.forkedFrom }}
                className="underline underline-offset-3"
              >
                {t.detail.thatSession}
              </Link>
            </Fact>
          )}
        </dl>
        <dl className="mt-3">
          <Fact name={t.detail.id}>
            <span className="font-mono text-dense">{session.id}</span>
          </Fact>
        </dl>
      </Section>
      <Workspace session={session} />
      <History session={session} />
    </>
  );
}

function Workspace({ session }: { session: Session }) {
  const t = useTexts();
  const { data } = useQuery(workspacesQuery(session.id));
  const workspace = data?.items[0];
  const { path, provider } = session.workspace;
  return (
    <Section title={t.detail.workspace}>
      {session.hostAway && (
        <div className="mb-3">
          <Notice tone="warn" title={t.detail.hostAway(session.hostName ?? '')} />
        </div>
      )}
      <dl className={FACTS}>
        <Fact name={t.detail.kind}>{t.detail.providers[provider]}</Fact>
        {workspace !== undefined && (
          <>
            <Fact name={t.detail.state}>{t.detail.workspaceStatus[workspace.status]}</Fact>
            <Fact name={t.detail.health}>{t.detail.workspaceHealth[workspace.health]}</Fact>
          </>
        )}
      </dl>
      <dl className="mt-3 grid gap-3">
        {path !== null && (
          <Fact name={t.detail.directory}>
            <span className="font-mono text-dense">{path}</span>
          </Fact>
        )}
        {session.host !== null && (
          <Fact name={t.detail.host}>
            <span className="font-mono text-dense" title={session.host}>
              {session.hostName}
            </span>
          </Fact>
        )}
      </dl>
    </Section>
  );
}
