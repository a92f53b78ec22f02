import { type RefObject, useEffect, useState } from 'react';
import type { Approval } from '../../src/contract/approval.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { Notice } from '../parts/notice.tsx';
import { usePageKeys } from '../parts/page-keys.ts';
import type { Texts } from '../texts/en/all.ts';
import { useTexts } from '../texts/texts.ts';
import { Actions } from './actions.tsx';
import { type Asked, fieldsOf } from './asked.ts';
import { DenyForm } from './deny-form.tsx';
import { fieldOf } from './edit.ts';
import { EditForm } from './edit-form.tsx';
import { useDecide } from './queries.ts';
import { QuestionForm } from './question-form.tsx';
import { isMeant } from './target.ts';

interface Props {
  readonly approval: Approval;
  readonly asked: Asked;
  readonly card: RefObject<HTMLElement | null>;
}

/** The answers to give, by buttons and by keys. */
export function Decide({ approval, asked, card }: Props) {
  const t = useTexts();
  const [mode, setMode] = useState<'choose' | 'edit' | 'deny'>('choose');
  const decide = useDecide(approval, () => card.current?.focus());
  const busy = decide.isPending;
  const allow = (scope: 'once' | 'session'): void => decide.mutate({ decision: 'allow', scope });
  // A button that cannot be pressed while it waits loses the focus, and with it the keys.
  useEffect(() => {
    if (!decide.isError) return;
    const wrong = card.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (wrong ?? card.current)?.focus();
  }, [decide.isError, card]);
  const back = (): void => {
    setMode('choose');
    decide.reset();
    card.current?.focus();
  };
  const key = (act: () => void) => (): boolean => {
    if (card.current === null || mode !== 'choose') return false;
    const meant = isMeant(card.current);
    if (meant === true && !busy) act();
    return meant !== false;
  };
  const isQuestion = asked.is === 'questions';
  usePageKeys({
    d: key(() => setMode('deny')),
    ...(isQuestion ? {} : { a: key(() => allow('once')), e: key(() => setMode('edit')) }),
    ...(approval.kind === 'tool' ? { s: key(() => allow('session')) } : {}),
  });
  const { error } = decide;
  const field = isBatonError(error) ? fieldOf(error.details) : null;
  const why = error === null ? '' : wordsFor(error, t.approvals);
  const inField = mode === 'edit' && field !== null && field in fieldsOf(approval.input);
  return (
    <>
      {mode === 'deny' && (
        <DenyForm
          busy={busy}
          onCancel={back}
          onDeny={(message) =>
            decide.mutate({ decision: 'deny', ...(message === '' ? {} : { message }) })
          }
        />
      )}
      {mode === 'edit' && (
        <EditForm
          asked={fieldsOf(approval.input)}
          busy={busy}
          refused={inField ? { field, why } : null}
          onCancel={back}
          onAllow={(input) => decide.mutate({ decision: 'allow', input })}
        />
      )}
      {mode === 'choose' && isQuestion && (
        <QuestionForm
          questions={asked.questions}
          busy={busy}
          onDeny={() => setMode('deny')}
          onAnswer={(answers) => decide.mutate({ decision: 'allow', input: { answers } })}
        />
      )}
      {mode === 'choose' && !isQuestion && (
        <Actions
          kind={approval.kind}
          busy={busy}
          onAllow={allow}
          onEdit={() => setMode('edit')}
          onDeny={() => setMode('deny')}
        />
      )}
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

function wordsFor(error: Error, words: Texts['approvals']): string {
  if (!isBatonError(error)) return error.message;
  if (error.code === 'contains_mask') return words.containsMask;
  if (error.code === 'invalid_input') return words.invalidInput;
  const { details } = error;
  const field = typeof details === 'object' && details !== null && 'field' in details;
  return field && (details as { field: unknown }).field === 'scope' ? words.noRule : error.message;
}
