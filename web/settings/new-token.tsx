import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type CreatedToken, Right, TokenName } from '../../src/contract/access.ts';
import { client } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DialogEnd } from '../parts/dialog-end.tsx';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

const DAYS = [7, 30, 90, 365] as const;

interface NewTokenProps {
  readonly rights: readonly Right[];
  readonly onMade: (token: CreatedToken) => void;
  readonly onClose: () => void;
}

/** A token can never do more than its user. */
export function NewToken({ rights, onMade, onClose }: NewTokenProps) {
  const t = useTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Right[]>(
    rights.filter((each) => each === 'read' || each === 'run'),
  );
  const [days, setDays] = useState('90');
  const [wasTried, setWasTried] = useState(false);
  const isName = TokenName.safeParse(name).success;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      client.createToken({
        body: {
          name,
          scopes: Right.options.filter((each) => scopes.includes(each)),
          expiresInDays: days === '' ? null : Number(days),
        },
      }),
    onSuccess: onMade,
  });
  const toggle = (right: Right): void =>
    setScopes(
      scopes.includes(right) ? scopes.filter((each) => each !== right) : [...scopes, right],
    );
  return (
    <Dialog open onClose={onClose} title={t.settings.newToken} about={t.settings.newTokenHelp}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setWasTried(true);
          if (isName && scopes.length > 0) mutate();
        }}
      >
        <Field
          label={t.settings.name}
          hint={t.settings.tokenNameHint}
          error={wasTried && !isName ? t.settings.wrongTokenName : undefined}
        >
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={100}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <fieldset className="mb-4">
          <legend className="mb-1 font-medium">{t.settings.scopes}</legend>
          {Right.options
            .filter((each) => rights.includes(each))
            .map((right) => (
              <label key={right} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
                <input
                  type="checkbox"
                  checked={scopes.includes(right)}
                  onChange={() => toggle(right)}
                />
                {t.settings.rights[right]}
              </label>
            ))}
          {wasTried && scopes.length === 0 && (
            <p role="alert" className="mt-1 text-dense text-bad">
              {t.settings.noScope}
            </p>
          )}
        </fieldset>
        <Field label={t.settings.expiresAfter}>
          {(props) => (
            <select {...props} value={days} onChange={({ target }) => setDays(target.value)}>
              {DAYS.map((each) => (
                <option key={each} value={each}>
                  {t.settings.days(each)}
                </option>
              ))}
              <option value="">{t.settings.never}</option>
            </select>
          )}
        </Field>
        <DialogEnd
          error={error}
          confirm={t.settings.createToken}
          isPending={isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
