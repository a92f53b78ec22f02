import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { isBatonError } from '../../src/contract/errors.ts';
import { client, queries } from '../api/client.ts';
import { fieldOf } from '../parts/problem.ts';
import { keepDraft } from './draft.ts';
import { type FormField, formFieldOf, type NewForm, toWanted, type Wanted } from './form.ts';
import { nameFrom } from './name.ts';
import { SessionStart } from './start-session.ts';

/** For messages of which no name can be made, such as `ls`. */
const NAMELESS = 'session';

/** Sends the form; a second click while it is on the way does nothing. */
export function useNewSession(userId: string, form: NewForm) {
  const navigate = useNavigate();
  const [wrong, setWrong] = useState<ReadonlySet<FormField>>(new Set());
  const start = useRef<SessionStart>(null);
  start.current ??= new SessionStart(client);
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ wanted, madeUp }: { wanted: Wanted; madeUp: boolean }) =>
      start.current!.go(wanted, madeUp),
    onSuccess: async (session) => {
      keepDraft(userId, {});
      queries.setQueryData(['session', session.id], session);
      void queries.invalidateQueries({ queryKey: ['sessions'] });
      await navigate({ to: '/s/$id', params: { id: session.id } });
    },
  });
  const given = form.name.trim();
  const submit = (): void => {
    if (isPending || isSuccess) return;
    const name = given === '' ? (nameFrom(form.message) ?? NAMELESS) : given;
    const found = toWanted(form, name);
    setWrong('wrong' in found ? found.wrong : new Set());
    if ('wanted' in found) mutate({ wanted: found.wanted, madeUp: given === '' });
  };
  return {
    submit,
    wrong,
    error,
    /** The field that the server speaks of. */
    refused: error === null ? null : refusedField(error),
    session: error === null ? null : start.current.session,
    isBusy: isPending || isSuccess,
  };
}

function refusedField(error: Error): FormField | null {
  if (isBatonError(error, 'name_taken')) return 'name';
  if (isBatonError(error, 'policy_denied')) return 'message';
  const field = fieldOf(error);
  return field === null ? null : formFieldOf(field);
}
