import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { type Share, ShareLevel } from '../../src/contract/access.ts';
import type { Session } from '../../src/contract/session.ts';
import { client, queries } from '../api/client.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Field, INPUT } from '../parts/field.tsx';
import { LoadError, Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import { sharesQuery } from './queries.ts';
import { type ShareChange, sharesAfter } from './share-change.ts';

/** Shows the session's owner and administrators who it is shared with. */
export function Shares({ session }: { session: Session }) {
  const t = useTexts();
  const { data, error, refetch } = useQuery(sharesQuery(session.id));
  return (
    <Section title={t.detail.shares} about={t.detail.sharesHelp}>
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {data !== undefined && <Form session={session} shares={data.items} />}
    </Section>
  );
}

function Form({ session, shares }: { session: Session; shares: readonly Share[] }) {
  const t = useTexts();
  const [user, setUser] = useState('');
  const [level, setLevel] = useState<ShareLevel>('view');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (change: ShareChange) => {
      const { items } = await queries.fetchQuery({ ...sharesQuery(session.id), staleTime: 0 });
      const wanted = sharesAfter(change, shares, items);
      if (wanted === null) return 'changed';
      const put = await client.putShares({ params: { id: session.id }, body: { shares: wanted } });
      queries.setQueryData(sharesQuery(session.id).queryKey, put);
      return 'stored';
    },
  });
  return (
    <>
      {shares.length === 0 && <p className="mb-3 text-dense text-soft">{t.detail.noShares}</p>}
      <ul className="mb-3 divide-y divide-edge">
        {shares.map((share) => (
          <li key={share.userId} className="flex items-center gap-2 py-1.5">
            <span className="min-w-0 grow truncate">{share.userName}</span>
            <select
              aria-label={t.detail.levelOf(share.userName)}
              className={`${INPUT} w-auto!`}
              value={share.level}
              disabled={isPending}
              onChange={({ target }) =>
                mutate({
                  is: 'level',
                  userId: share.userId,
                  level: ShareLevel.parse(target.value),
                })
              }
            >
              {ShareLevel.options.map((each) => (
                <option key={each} value={each}>
                  {t.detail.levels[each]}
                </option>
              ))}
            </select>
            <IconButton
              label={t.detail.stopSharing(share.userName)}
              disabled={isPending}
              onClick={() => mutate({ is: 'remove', userId: share.userId })}
            >
              <X size={16} />
            </IconButton>
          </li>
        ))}
      </ul>
      {data === 'changed' && (
        <div className="mb-3">
          <Notice tone="warn" title={t.detail.sharesChanged} />
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (user.trim() === '') return;
          mutate(
            { is: 'add', user: user.trim(), level },
            { onSuccess: (how) => how === 'stored' && setUser('') },
          );
        }}
      >
        <Field
          label={t.detail.shareWith}
          hint={t.detail.shareWithHelp}
          error={error === null ? undefined : problemOf(error, t)}
        >
          {(props) => (
            <div className="flex flex-wrap gap-2">
              <input
                {...props}
                className={`${props.className} w-auto! min-w-40 flex-1`}
                value={user}
                maxLength={64}
                autoComplete="off"
                onChange={({ target }) => setUser(target.value)}
              />
              <select
                aria-label={t.detail.level}
                className={`${INPUT} w-auto!`}
                value={level}
                onChange={({ target }) => setLevel(ShareLevel.parse(target.value))}
              >
                {ShareLevel.options.map((each) => (
                  <option key={each} value={each}>
                    {t.detail.levels[each]}
                  </option>
                ))}
              </select>
              <Button type="submit" disabled={isPending}>
                {t.detail.share}
              </Button>
            </div>
          )}
        </Field>
      </form>
    </>
  );
}
