import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SESSION_NAME_MAX } from '../../src/contract/limits.ts';
import { type Session, SessionName } from '../../src/contract/session.ts';
import { firstCharacters } from '../../src/contract/values/characters.ts';
import { client, queries } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';

export function ForkDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const t = useTexts();
  const navigate = useNavigate();
  const [name, setName] = useState(
    () => `${firstCharacters(session.name, SESSION_NAME_MAX - 2)}-2`,
  );
  const [touched, setTouched] = useState(false);
  const isName = SessionName.safeParse(name).success;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.fork({ params: { id: session.id }, body: { name } }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['sessions'] });
      await navigate({ to: '/s/$id', params: { id } });
    },
  });
  const wrong = touched && !isName ? t.detail.wrong.name : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.detail.actions.fork.title(session.name)}
      about={t.detail.actions.fork.about}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if (isName) mutate();
        }}
      >
        <Field
          label={t.detail.forkName}
          error={wrong ?? (error === null ? undefined : problemOf(error, t))}
        >
          {(props) => (
            <input {...props} value={name} onChange={({ target }) => setName(target.value)} />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {t.detail.actions.fork.name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
