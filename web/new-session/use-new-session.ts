import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { isBatonError } from '../../src/contract/errors.ts';
import { client, queries } from '../api/client.ts';
import { fieldOf } from '../parts/problem.ts';
import { keepDraft } from './draft.ts';
import {
  type FormField,
  formFieldOf,
  type NewForm,
  parseForm,
  type SessionRequest,
} from './form.ts';
import { nameFrom } from './name.ts';
import { SessionStart } from './start-session.ts';

/** For messages from which no name can be derived, such as `ls`. */
const NAMELESS = 'session';

/** Submits the form; a second click while it is pending does nothing. */
export function useNewSession(userId: string, form: NewForm) {
  const navigate = useNavigate();
  const [wrong, setWrong] = useState<ReadonlySet<FormField>>(new Set());
  const start = useRef<SessionStart>(null);
  start.current ??= new SessionStart(client);
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ request, madeUp }: { request: SessionRequest; madeUp: boolean }) =>
      start.current!.go(request, madeUp),
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
    const parsed = parseForm(form, name);
    setWrong('wrong' in parsed ? parsed.wrong : new Set());
    if ('request' in parsed) mutate({ request: parsed.request, madeUp: given === '' });
  };
  return {
    submit,
    wrong,
    error,
    /** The field named by the server. */
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
