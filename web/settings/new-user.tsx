import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Role, type SignInLink, type User, UserName } from '../../src/contract/access.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { client } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DialogEnd } from '../parts/dialog-end.tsx';
import { Field } from '../parts/field.tsx';
import { problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';

interface NewUserProps {
  readonly onMade: (user: User, link: SignInLink) => void;
  readonly onClose: () => void;
}

/** Adds a user and shows their sign-in link. */
export function NewUser({ onMade, onClose }: NewUserProps) {
  const t = useTexts();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [wasTried, setWasTried] = useState(false);
  const isName = UserName.safeParse(name.trim()).success;
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const user = await client.createUser({ body: { name: name.trim(), role } });
      return { user, link: await client.createSignInLink({ params: { id: user.id } }) };
    },
    onSuccess: ({ user, link }) => onMade(user, link),
  });
  const isTaken = isBatonError(error, 'user_exists');
  const wrong = wasTried && !isName ? t.settings.wrongUserName : undefined;
  return (
    <Dialog open onClose={onClose} title={t.settings.addUser} about={t.settings.addUserHelp}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setWasTried(true);
          if (isName) mutate();
        }}
      >
        <Field label={t.settings.name} error={wrong ?? (isTaken ? problemOf(error, t) : undefined)}>
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={64}
              autoComplete="off"
              autoCapitalize="none"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label={t.settings.role} hint={t.settings.roleHelp[role]}>
          {(props) => (
            <select
              {...props}
              value={role}
              onChange={({ target }) => setRole(Role.parse(target.value))}
            >
              {Role.options.map((each) => (
                <option key={each} value={each}>
                  {t.common.roles[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <DialogEnd
          error={isTaken ? null : error}
          confirm={t.settings.add}
          isPending={isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
