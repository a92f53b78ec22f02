import { type RefObject, useEffect, useState } from 'react';
import type { Approval } from '../../src/contract/approval.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { usePageKeys } from '../parts/shortcuts.ts';
import type { Texts } from '../texts/en/all.ts';
import { useTexts } from '../texts/texts.ts';
import { Actions } from './actions.tsx';
import { DenyForm } from './deny-form.tsx';
import { type Draft, NO_DRAFT } from './drafts.ts';
import { fieldOf, toEditFields } from './edit.ts';
import { EditForm } from './edit-form.tsx';
import { useDecide } from './queries.ts';
import { QuestionForm } from './question-form.tsx';
import { UNSEEN } from './scroll-box.tsx';
import { isMeant, useCalm } from './target.ts';
import { fieldsOf, type ToolCall } from './tool-call.ts';
import { useDraft } from './use-draft.ts';

interface Props {
  readonly approval: Approval;
  /** The input as shown; it contains secrets once the user has revealed them. */
  readonly input: Json;
  readonly call: ToolCall;
  /** Part of what will run is masked. */
  readonly isMasked: boolean;
  readonly card: RefObject<HTMLElement | null>;
}

/** Answer buttons and shortcut keys. */
export function Decide({ approval, input: shown, call, isMasked, card }: Props) {
  const t = useTexts();
  const [draft, setDraft] = useDraft(approval.id);
  const { mode } = draft;
  // A form that merely reappears does not take the focus.
  const [wasOpened, setWasOpened] = useState(false);
  const open = (next: Draft['mode']): void => {
    setWasOpened(true);
    setDraft({ mode: next });
  };
  const decide = useDecide(approval, {
    onSent: () => setDraft({ isSent: true }),
    onDone: () => {
      setDraft(NO_DRAFT);
      card.current?.focus();
    },
    onRefused: () => setDraft({ isSent: false }),
  });
  const busy = decide.isPending;
  const allow = (scope: 'once' | 'session'): void => decide.mutate({ decision: 'allow', scope });
  // A disabled button loses the focus, and with it the shortcut keys.
  useEffect(() => {
    if (!decide.isError) return;
    const wrong = card.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (wrong ?? card.current)?.focus();
  }, [decide.isError, card]);
  const back = (): void => {
    setDraft(mode === 'edit' ? { mode: 'choose', fields: null } : { mode: 'choose', reason: '' });
    decide.reset();
    card.current?.focus();
  };

  const isCalm = useCalm(card);
  const [isUnread, setIsUnread] = useState(false);
  const key = (act: () => void) => (): boolean => {
    if (card.current === null || mode !== 'choose') return false;
    const meant = isMeant(card.current);
    if (meant === true && isCalm && !busy) act();
    return meant !== false;
  };
  /** A key can allow a call only after the user has been able to see all of it. */
  const keyAllows = (scope: 'once' | 'session') =>
    key(() => {
      if (isMasked) return;
      const unseen = card.current?.querySelector<HTMLElement>(UNSEEN) ?? null;
      setIsUnread(unseen !== null);
      if (unseen === null) return allow(scope);
      unseen.focus({ preventScroll: true });
      unseen.scrollIntoView({ block: 'nearest' });
    });
  const isQuestion = call.is === 'questions';
  usePageKeys({
    d: key(() => open('deny')),
    ...(isQuestion ? {} : { a: keyAllows('once'), e: key(() => open('edit')) }),
    ...(approval.sessionRule === null ? {} : { s: keyAllows('session') }),
  });

  const { error } = decide;
  const field = isBatonError(error) ? fieldOf(error.details) : null;
  const why = error === null ? '' : wordsFor(error, t);
  const inField = mode === 'edit' && field !== null && field in fieldsOf(shown);
  return (
    <>
      {mode === 'deny' && (
        <DenyForm
          reason={draft.reason}
          busy={busy}
          takesFocus={wasOpened}
          onChange={(reason) => setDraft({ reason })}
          onCancel={back}
          onDeny={(message) =>
            decide.mutate({ decision: 'deny', ...(message === '' ? {} : { message }) })
          }
        />
      )}
      {mode === 'edit' && (
        <EditForm
          original={fieldsOf(shown)}
          fields={draft.fields ?? toEditFields(fieldsOf(shown))}
          busy={busy}
          takesFocus={wasOpened}
          refused={inField ? { field, why } : null}
          onChange={(fields) => setDraft({ fields })}
          onCancel={back}
          onAllow={(input) => decide.mutate({ decision: 'allow', input })}
        />
      )}
      {mode === 'choose' && isQuestion && (
        <QuestionForm
          questions={call.questions}
          picked={draft.picked ?? []}
          busy={busy}
          onChange={(picked) => setDraft({ picked })}
          onDeny={() => open('deny')}
          onAnswer={(answers) => decide.mutate({ decision: 'allow', input: { answers } })}
        />
      )}
      {mode === 'choose' && !isQuestion && (
        <Actions
          approval={approval}
          busy={busy}
          keys={isCalm}
          keysAllow={!isMasked}
          onAllow={allow}
          onEdit={() => open('edit')}
          onDeny={() => open('deny')}
        />
      )}
      <p role="status" className="mt-2 text-dense text-warn empty:hidden">
        {isUnread && mode === 'choose' && t.approvals.readToEnd}
      </p>
      {error !== null && !inField && (
        <div className="mt-3">
          <Notice
            tone="bad"
            title={isLate(error) ? t.approvals.answeredBefore : t.approvals.failed}
          >
            {isLate(error) ? undefined : why}
          </Notice>
        </div>
      )}
    </>
  );
}

const isLate = (error: Error): boolean => isBatonError(error, 'approval_decided');

function wordsFor(error: Error, t: Texts): string {
  if (isBatonError(error, 'contains_mask')) return t.approvals.containsMask;
  if (isBatonError(error, 'invalid_input')) return t.approvals.invalidInput;
  return problemOf(error, t);
}
