import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type DrivenKind, takesCommands } from '../../src/contract/agent-kinds.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { Button } from '../parts/button.tsx';
import { enterHint, isSend } from '../parts/enter.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';
import { badRule } from '../tool-rules/rules.ts';
import { AgentChoice } from './agent-choice.tsx';
import { automaticKind, shownKind, withPart } from './agent-kind.ts';
import { keepDraft, readDraft } from './draft.ts';
import { EMPTY, type FormField, MORE_OPTIONS, type NewForm } from './form.ts';
import { MoreOptions } from './more-options.tsx';
import { nameFrom } from './name.ts';
import { agentsQuery } from './queries.ts';
import { useNewSession } from './use-new-session.ts';

export function NewSessionForm({ userId }: { userId: string }) {
  const t = useTexts();
  const [form, setForm] = useForm(userId);
  const { submit, wrong, error, refused, session, isBusy } = useNewSession(userId, form);
  const [open, setOpen] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const isWrong = [...wrong, ...(refused === null ? [] : [refused])];
  const mustOpen = isWrong.some((field) => MORE_OPTIONS.has(field));
  useEffect(() => {
    if (isWrong.length > 0) {
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [isWrong.length]);

  const errorOf = (field: FormField): string | undefined => {
    // The server's message names the hosts, but only in English; the field offers them anyway.
    if (refused === field && field !== 'host') {
      return isBatonError(error, 'policy_denied') ? t.newSession.denied : problemOf(error, t);
    }
    if (refused !== field && !wrong.has(field)) return undefined;
    return field === 'allow' || field === 'ask' || field === 'deny'
      ? t.settings.noRule(badRule(form[field]) ?? '')
      : t.newSession.wrong[field];
  };
  const suggested = nameFrom(form.message);
  const isCommand = takesCommands(form);
  return (
    <form
      ref={element}
      noValidate
      className="rounded border border-edge bg-panel p-5 max-md:p-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <AgentChoice kind={form.kind} onChange={(kind) => setForm({ kind })} />
      <Field
        label={isCommand ? t.newSession.command : t.newSession.message}
        // Hidden on phones, where space is tight and touch keyboards have their own button.
        hint={<span className="max-md:hidden pointer-coarse:hidden">{t.newSession.sendHelp}</span>}
        error={errorOf('message')}
      >
        {(props) => (
          <textarea
            {...props}
            name="message"
            rows={isCommand ? 2 : 4}
            // biome-ignore lint/a11y/noAutofocus: it is the purpose of the page
            autoFocus
            value={form.message}
            placeholder={isCommand ? t.newSession.commandHint : t.newSession.messageHint}
            onChange={({ target }) => setForm({ message: target.value })}
            enterKeyHint={enterHint('go')}
            onKeyDown={onEnter(submit)}
            className={`${props.className} field-sizing-content max-h-[40vh] min-h-20! resize-y ${isCommand ? 'font-mono' : ''}`}
          />
        )}
      </Field>
      <Field
        label={t.newSession.name}
        hint={suggested === null ? t.newSession.nameHelp : t.newSession.nameFrom(suggested)}
        error={errorOf('name')}
      >
        {(props) => (
          <input
            {...props}
            name="name"
            autoComplete="off"
            value={form.name}
            placeholder={suggested ?? ''}
            onChange={({ target }) => setForm({ name: target.value })}
          />
        )}
      </Field>
      <details
        open={open || mustOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="group mb-4"
      >
        <summary className="flex min-h-9 list-none items-center gap-1 text-soft hover:text-ink max-md:min-h-11">
          <ChevronRight size={16} aria-hidden className="group-open:rotate-90" />
          {t.newSession.more}
        </summary>
        <MoreOptions form={form} set={setForm} errorOf={errorOf} />
      </details>
      {error !== null && refused === null && (
        <div className="mb-4">
          <Notice
            tone="bad"
            title={session === null ? t.newSession.notCreated : t.newSession.notSent}
            actions={
              session !== null && (
                <Link
                  to="/s/$id"
                  params={{ id: session.id }}
                  className="underline underline-offset-3"
                >
                  {t.newSession.open}
                </Link>
              )
            }
          >
            {problemOf(error, t)}
          </Notice>
        </div>
      )}
      <Button variant="primary" type="submit" disabled={isBusy} className="min-w-28 max-md:w-full">
        {isBusy ? t.newSession.starting : t.newSession.go}
      </Button>
    </form>
  );
}

/** The form; its content survives a reload. */
function useForm(userId: string): [NewForm, (part: Partial<NewForm>) => void] {
  const [given, setGiven] = useState(() => readDraft(userId));
  useEffect(() => keepDraft(userId, given), [userId, given]);
  const [automatic, setAutomatic] = useState<DrivenKind | null>(null);
  // Ignore data cached by an earlier page.
  const { data, isSuccess, isFetchedAfterMount } = useQuery(agentsQuery);
  const agents = isSuccess && isFetchedAfterMount ? data : undefined;
  useEffect(() => setAutomatic((before) => automaticKind(before, agents ?? [])), [agents]);
  const kind = shownKind(given, automatic);
  const set = (part: Partial<NewForm>): void => setGiven((before) => withPart(before, part, kind));
  return [{ ...EMPTY, ...given, kind }, set];
}

const onEnter =
  (act: () => void) =>
  (event: KeyboardEvent): void => {
    if (!isSend(event)) return;
    event.preventDefault();
    act();
  };
