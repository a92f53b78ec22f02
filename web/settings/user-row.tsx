import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ADMIN_ID, Role, type SignInLink, type User } from '../../src/contract/access.ts';
import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { INPUT } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';

interface UserRowProps {
  readonly user: User;
  readonly isMe: boolean;
  readonly onChanged: () => Promise<unknown>;
  readonly onLink: (link: SignInLink) => void;
}

type Question = 'lock' | 'signOut';

export function UserRow({ user, isMe, onChanged, onLink }: UserRowProps) {
  const t = useTexts();
  const [question, setQuestion] = useState<Question | null>(null);
  const params = { id: user.id };
  const isLocked = user.disabledAt !== null;
  const isBuiltIn = user.id === ADMIN_ID;
  const change = useMutation({
    mutationFn: (body: { role?: Role; disabled?: boolean }) => client.updateUser({ params, body }),
    onSuccess: onChanged,
  });
  const link = useMutation({
    mutationFn: () => client.createSignInLink({ params }),
    onSuccess: onLink,
  });
  const error = change.error ?? link.error;
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-32 grow font-medium">
          {user.name}
          {isMe && <span className="font-normal text-soft">{` · ${t.settings.thatIsYou}`}</span>}
          {isLocked && <span className="font-normal text-bad">{` · ${t.settings.disabled}`}</span>}
        </p>
        <select
          aria-label={t.settings.roleOf(user.name)}
          className={`${INPUT} w-auto!`}
          value={user.role}
          disabled={isBuiltIn || isMe || change.isPending}
          onChange={({ target }) => change.mutate({ role: Role.parse(target.value) })}
        >
          {Role.options.map((each) => (
            <option key={each} value={each}>
              {t.common.roles[each]}
            </option>
          ))}
        </select>
        <div className="flex flex-wrap gap-2">
          {!isLocked && (
            <Button disabled={link.isPending} onClick={() => link.mutate()}>
              {t.settings.signInLink}
              <span className="sr-only">{user.name}</span>
            </Button>
          )}
          <Button onClick={() => setQuestion('signOut')}>
            {t.settings.signOutEverywhere}
            <span className="sr-only">{user.name}</span>
          </Button>
          {/* Keeps the columns aligned. */}
          {(isBuiltIn || isMe) && (
            <span className="invisible max-md:hidden" aria-hidden>
              <Button disabled>{t.settings.disable}</Button>
            </span>
          )}
          {!isBuiltIn && !isMe && isLocked && (
            <Button disabled={change.isPending} onClick={() => change.mutate({ disabled: false })}>
              {t.settings.enable}
              <span className="sr-only">{user.name}</span>
            </Button>
          )}
          {!isBuiltIn && !isMe && !isLocked && (
            <Button variant="danger" onClick={() => setQuestion('lock')}>
              {t.settings.disable}
              <span className="sr-only">{user.name}</span>
            </Button>
          )}
        </div>
      </div>
      {error !== null && (
        <div className="mt-2">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
      {question === 'lock' && (
        <ConfirmDialog
          title={t.settings.disableTitle(user.name)}
          about={t.settings.disableAbout}
          confirm={t.settings.disable}
          variant="danger"
          act={() => change.mutateAsync({ disabled: true })}
          onClose={() => setQuestion(null)}
        />
      )}
      {question === 'signOut' && (
        <ConfirmDialog
          title={t.settings.signOutTitle(user.name)}
          about={isMe ? t.settings.signOutYou : t.settings.signOutAbout}
          confirm={t.settings.signOutEverywhere}
          variant="danger"
          act={() => client.signOutUser({ params })}
          onClose={() => setQuestion(null)}
        />
      )}
    </li>
  );
}
