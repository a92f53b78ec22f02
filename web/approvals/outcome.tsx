import { Check, Undo2, X } from 'lucide-react';
import { spellOutUnseenInProse } from '../../src/client/spell-out-unseen.ts';
import type { Approval } from '../../src/contract/approval.ts';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { Ago } from '../parts/time.tsx';
import type { Texts } from '../texts/en/all.ts';
import { useTexts } from '../texts/texts.ts';
import { NO_DRAFT, wordsOf } from './drafts.ts';
import { useNameOf } from './queries.ts';
import { fieldsOf } from './tool-call.ts';
import { ToolView } from './tool-view.tsx';
import { useDraft } from './use-draft.ts';

export const ICONS = {
  allowed: [Check, 'text-good'],
  denied: [X, 'text-bad'],
  withdrawn: [Undo2, 'text-soft'],
} as const;

/** The outcome of a question, who answered it and their comment. */
export function Outcome({ approval }: { approval: Approval }) {
  const t = useTexts();
  const outcome = useSentence(approval);
  const { state } = approval;
  if (state === 'pending') return null;
  const [Icon, ink] = ICONS[state];
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-1.5">
        <Icon size={16} className={`shrink-0 ${ink}`} aria-hidden />
        <span className="font-medium">{outcome}</span>
        {approval.decidedAt !== null && (
          <Ago at={approval.decidedAt} className="text-dense text-soft" />
        )}
      </p>
      {approval.message !== null && approval.message !== '' && (
        <p className="text-dense text-soft">
          {t.approvals.comment} {spellOutUnseenInProse(approval.message)}
        </p>
      )}
      <Instead approval={approval} />
      <Unused approvalId={approval.id} />
    </>
  );
}

/** The answer this user was writing when someone else answered. */
function Unused({ approvalId }: { approvalId: string }) {
  const t = useTexts();
  const [draft, setDraft] = useDraft(approvalId);
  const words = wordsOf(draft);
  if (words.length === 0) return null;
  return (
    <div className="mt-2">
      <Notice
        tone="info"
        title={t.approvals.answeredBefore}
        actions={
          <Button size="small" className="max-md:min-h-11" onClick={() => setDraft(NO_DRAFT)}>
            {t.approvals.discard}
          </Button>
        }
      >
        <p>{t.approvals.youWrote}</p>
        <p className="max-h-[30vh] overflow-auto whitespace-pre-wrap text-ink">
          {words.join('\n')}
        </p>
      </Notice>
    </div>
  );
}

/** For example "Allowed by you". */
export function useSentence(approval: Approval): string {
  const t = useTexts();
  const name = useNameOf(approval.decidedBy);
  const who = name === 'you' ? t.approvals.you : (name ?? t.approvals.somebody);
  return sentence(approval, who, t.approvals.outcome);
}

function Instead({ approval }: { approval: Approval }) {
  const t = useTexts();
  if (approval.editedInput === null) return null;
  if (approval.kind === 'question') {
    const answers = Object.entries(fieldsOf(fieldsOf(approval.editedInput)['answers'] ?? null));
    return (
      <ul className="text-dense text-soft">
        {answers.map(([question, answer]) => (
          <li key={question}>
            {spellOutUnseenInProse(question)} →{' '}
            <span className="text-ink">{spellOutUnseenInProse(String(answer))}</span>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div className="mt-1.5">
      <p className="mb-1 text-dense text-soft">{t.approvals.used}</p>
      <ToolView approval={approval} input={approval.editedInput} />
    </div>
  );
}

function sentence(
  { state, kind, scope, editedInput }: Approval,
  who: string,
  words: Texts['approvals']['outcome'],
): string {
  if (state === 'withdrawn') return words.withdrawn;
  if (state === 'denied') return words.denied(who);
  if (kind === 'question') return words.answered(who);
  if (scope === 'session') return words.allowedSession(who);
  return editedInput === null ? words.allowed(who) : words.allowedEdited(who);
}
