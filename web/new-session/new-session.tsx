import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { meQuery, sessionsQuery } from '../api/queries.ts';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import type { Texts } from '../texts/en/all.ts';
import { useTexts } from '../texts/texts.ts';
import { NewSessionForm } from './new-session-form.tsx';

/** `/new`, and `/` for a first visit. */
export function NewSession() {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const { data: sessions } = useInfiniteQuery(sessionsQuery({}));
  const isFirst = sessions?.pages[0]?.items.length === 0;
  if (me === undefined) return null;
  const mayRun = me.rights.includes('run');
  return (
    <Page title={titleOf(t, mayRun, isFirst)}>
      {mayRun ? (
        <>
          {isFirst && <p className="-mt-3 mb-4 text-soft">{t.newSession.firstHelp}</p>}
          <NewSessionForm userId={me.user.id} />
        </>
      ) : (
        <Notice tone="info" title={t.newSession.viewer}>
          {t.newSession.viewerHelp}
        </Notice>
      )}
    </Page>
  );
}

function titleOf(t: Texts, mayRun: boolean, isFirst: boolean): string {
  if (!mayRun) return t.shell.sessions;
  return isFirst ? t.newSession.first : t.newSession.title;
}
