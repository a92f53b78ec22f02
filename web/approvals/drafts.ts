import type { Picked } from './answers.ts';
import type { EditField } from './edit.ts';

/*
 * Answers that are half written, by question. A card that is scrolled away or loaded again finds its
 * own; they end with the tab, since what is written there may be a secret.
 */

export interface Draft {
  readonly mode: 'choose' | 'edit' | 'deny';
  readonly reason: string;
  /** Null until something was picked or written. */
  readonly picked: readonly Picked[] | null;
  /** Null until something was changed. */
  readonly fields: readonly EditField[] | null;
  /** On its way to the server: its words are not lost even if the question is no longer asked. */
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

/** With a draft changed, or gone if nothing is left of it. */
export function withDraft(all: Drafts, id: string, change: Partial<Draft>): Drafts {
  const { [id]: before = NO_DRAFT, ...others } = all;
  const draft = { ...before, ...change };
  const isEmpty = draft.mode === 'choose' && !holdsAnswer(draft);
  return isEmpty ? others : { ...others, [id]: draft };
}

const holdsAnswer = ({ reason, picked, fields }: Draft): boolean =>
  reason.trim() !== '' || picked !== null || fields !== null;

/** What somebody picked and wrote, for when it is no longer an answer. */
export function wordsOf({ reason, picked, fields, isSent }: Draft): string[] {
  if (isSent) return [];
  const texts = [
    reason,
    ...(picked ?? []).flatMap(({ labels, words }) => [labels.join(', '), words]),
    ...(fields ?? []).filter(({ as }) => as === 'text' || as === 'json').map(({ value }) => value),
  ];
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
