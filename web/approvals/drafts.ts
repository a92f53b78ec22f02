import type { Picked } from './answers.ts';
import type { EditField } from './edit.ts';

/*
 * Unfinished answers, by question. A card that reappears restores its draft; drafts are lost with
 * the tab, because they may contain secrets.
 */

export interface Draft {
  readonly mode: 'choose' | 'edit' | 'deny';
  readonly reason: string;
  /** Null until something has been picked or written. */
  readonly picked: readonly Picked[] | null;
  /** Null until something has been changed. */
  readonly fields: readonly EditField[] | null;
  /** The answer is being sent, so its text is not lost even if the question is withdrawn. */
  readonly isSent: boolean;
}
export const NO_DRAFT: Draft = {
  mode: 'choose',
  reason: '',
  picked: null,
  fields: null,
  isSent: false,
};

export type Drafts = Readonly<Record<string, Draft>>;

/** Changes a draft, or removes it if it is empty. */
export function withDraft(all: Drafts, id: string, change: Partial<Draft>): Drafts {
  const { [id]: before = NO_DRAFT, ...others } = all;
  const draft = { ...before, ...change };
  const isEmpty = draft.mode === 'choose' && !holdsAnswer(draft);
  return isEmpty ? others : { ...others, [id]: draft };
}

const holdsAnswer = ({ reason, picked, fields }: Draft): boolean =>
  reason.trim() !== '' || picked !== null || fields !== null;

/** The chosen options and the text written, to be shown when they can no longer be sent. */
export function wordsOf({ reason, picked, fields, isSent }: Draft): string[] {
  if (isSent) return [];
  const texts = [
    reason,
    ...(picked ?? []).flatMap(({ labels, words }) => [labels.join(', '), words]),
    ...(fields ?? []).filter(({ as }) => as === 'text' || as === 'json').map(({ value }) => value),
  ];
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
