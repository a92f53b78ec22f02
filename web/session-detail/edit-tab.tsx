import { useMutation } from '@tanstack/react-query';
import { type InputHTMLAttributes, useState } from 'react';
import type { Me } from '../../src/contract/access.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session, UpdateSession } from '../../src/contract/session.ts';
import { client, queries } from '../api/client.ts';
import { patchSession } from '../api/live.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { fieldOf, problemOf } from '../parts/problem.ts';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import { mayOwn } from './available-actions.ts';
import { type FormField, formFieldOf, toForm, toUpdate } from './edit.ts';
import { Shares } from './shares.tsx';

export function EditTab({ session, me }: { session: Session; me: Me }) {
  return (
    <>
      <EditForm session={session} />
      {mayOwn(session, me) && <Shares session={session} />}
    </>
  );
}

function EditForm({ session }: { session: Session }) {
  const t = useTexts();
  const [form, setForm] = useState(() => toForm(session));
  const [wrong, setWrong] = useState<ReadonlySet<FormField>>(new Set());
  const { mutate, error, isPending, isSuccess, reset } = useMutation({
    mutationFn: (body: UpdateSession) => client.updateSession({ params: { id: session.id }, body }),
    onSuccess: (updated) => {
      queries.setQueryData(['session', session.id], updated);
      patchSession(session.id, () => updated);
      setForm(toForm(updated));
    },
  });
  // `name_taken` is about the name, although the error names no field.
  const refused =
    problemField(error) ?? (error === null ? null : formFieldOf(fieldOf(error) ?? ''));
  const errorAt = (field: FormField): string | undefined => {
    if (wrong.has(field)) return t.detail.wrong[field];
    return refused === field ? problemOf(error, t) : undefined;
  };
  const set = (part: Partial<typeof form>): void => {
    reset();
    setForm({ ...form, ...part });
  };
  const line = (
    field: FormField,
    hint?: string,
    more: InputHTMLAttributes<HTMLInputElement> = {},
  ) => (
    <Field label={t.detail.fields[field]} hint={hint} error={errorAt(field)}>
      {(props) => (
        <input
          {...props}
          {...more}
          value={form[field]}
          onChange={({ target }) => set({ [field]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <Section title={t.detail.edit}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const made = toUpdate(form, session);
          setWrong('wrong' in made ? made.wrong : new Set());
          if ('update' in made) mutate(made.update);
        }}
      >
        {line('name')}
        <Field label={t.detail.fields.description} error={errorAt('description')}>
          {(props) => (
            <textarea
              {...props}
              rows={2}
              value={form.description}
              onChange={({ target }) => set({ description: target.value })}
            />
          )}
        </Field>
        <div className="grid gap-x-4 sm:grid-cols-2">
          {line('tags', t.detail.hints.tags)}
          {line('labels', t.detail.hints.labels)}
          {line('idleMinutes', t.detail.hints.idleMinutes, { inputMode: 'decimal' })}
          {line('budget', t.detail.hints.budget, { inputMode: 'decimal' })}
        </div>
        <label className="mb-4 flex items-start gap-2 max-md:min-h-11">
          <input
            type="checkbox"
            className="mt-1"
            checked={form.holdOnFailure}
            onChange={({ target }) => set({ holdOnFailure: target.checked })}
          />
          {t.detail.holdOnFailure}
        </label>
        {error !== null && refused === null && (
          <div className="mb-3">
            <Notice tone="bad" title={problemOf(error, t)} />
          </div>
        )}
        <div className="flex items-center gap-3">
          <Button variant="primary" type="submit" disabled={isPending}>
            {t.common.save}
          </Button>
          <span role="status" className="text-dense text-good">
            {isSuccess && t.detail.saved}
          </span>
        </div>
      </form>
    </Section>
  );
}

const problemField = (error: unknown): FormField | null =>
  isBatonError(error, 'name_taken') ? 'name' : null;
