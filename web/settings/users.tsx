import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Me, SignInLink, User } from '../../src/contract/access.ts';
import { queries } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { NewUser } from './new-user.tsx';
import { usersQuery } from './queries.ts';
import { ShownOnce } from './shown-once.tsx';
import { UserRow } from './user-row.tsx';

export function Users({ me }: { me: Me }) {
  const t = useTexts();
  const locale = useStore(language);
  const [isAdding, setIsAdding] = useState(false);
  const [link, setLink] = useState<(SignInLink & { user: User }) | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(usersQuery);
  const users = data?.pages.flatMap(({ items }) => items) ?? [];
  const reload = () => queries.invalidateQueries({ queryKey: ['users'] });
  return (
    <Section
      about={t.settings.usersHelp}
      actions={
        <Button variant="primary" onClick={() => setIsAdding(true)}>
          <Plus size={16} aria-hidden />
          {t.settings.addUser}
        </Button>
      }
    >
      {link !== null && (
        <ShownOnce
          title={t.settings.linkCreated(link.user.name)}
          about={t.settings.linkHelp(exactTime(link.expiresAt, locale))}
          value={link.url}
        />
      )}
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      <ul className="-mx-4 divide-y divide-edge">
        {users.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            isMe={user.id === me.user.id}
            onChanged={reload}
            onLink={(made) => setLink({ ...made, user })}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.common.loadMore}
        </Button>
      )}
      {isAdding && (
        <NewUser
          onClose={() => setIsAdding(false)}
          onMade={(user, made) => {
            setLink({ ...made, user });
            setIsAdding(false);
            void reload();
          }}
        />
      )}
    </Section>
  );
}
