import type { Question } from './tool-call.ts';

/* Options picked and text written for an agent's questions. */

export interface Picked {
  readonly labels: readonly string[];
  /** Free text, in addition to or instead of options. */
  readonly words: string;
}
export const NOTHING: Picked = { labels: [], words: '' };

export function toggle({ labels, words }: Picked, label: string, many: boolean): Picked {
  if (labels.includes(label)) return { labels: labels.filter((each) => each !== label), words };
  return many ? { labels: [...labels, label], words } : { labels: [label], words: '' };
}

/**
 * One text per question, with the options in their original order; null while any question is
 * unanswered.
 */
export function answersOf(
  questions: readonly Question[],
  picked: readonly Picked[],
): Record<string, string> | null {
  const answers: Record<string, string> = {};
  for (const [at, { question, options }] of questions.entries()) {
    const { labels, words } = picked[at] ?? NOTHING;
    const parts = options.map(({ label }) => label).filter((label) => labels.includes(label));
    if (words.trim() !== '') parts.push(words.trim());
    if (parts.length === 0) return null;
    answers[question] = parts.join(', ');
  }
  return questions.length === 0 ? null : answers;
}
