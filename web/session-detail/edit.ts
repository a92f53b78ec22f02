import { type Session, UpdateSession } from '../../src/contract/session.ts';

/** The form's fields, as text. */
export interface SessionForm {
  readonly name: string;
  readonly description: string;
  readonly tags: string;
  readonly labels: string;
  readonly idleMinutes: string;
  readonly budget: string;
  readonly holdOnFailure: boolean;
}
export type FormField = Exclude<keyof SessionForm, 'holdOnFailure'>;

export const toForm = (session: Session): SessionForm => ({
  name: session.name,
  description: session.description,
  tags: session.tags.join(', '),
  labels: session.labels.join(', '),
  idleMinutes: String(session.idleTimeoutSeconds / 60),
  budget: session.budgetUsd === null ? '' : String(session.budgetUsd),
  holdOnFailure: session.holdOnFailure,
});

/** Comma-separated words; accepts full-width commas. */
const words = (text: string): string[] =>
  text
    .split(/[,、，]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Accepts full-width digits. */
const number = (text: string): number => {
  const plain = text.normalize('NFKC').trim();
  return plain === '' ? Number.NaN : Number(plain);
};

/** The form field for each field of a session. */
const FORM_FIELDS: Readonly<Record<string, FormField>> = {
  name: 'name',
  description: 'description',
  tags: 'tags',
  labels: 'labels',
  idleTimeoutSeconds: 'idleMinutes',
  budgetUsd: 'budget',
};

/** The form field for a field named by the server, such as `tags.0`. */
export const formFieldOf = (field: string): FormField | null =>
  FORM_FIELDS[field.split('.')[0] ?? ''] ?? null;

/** The changed fields, or the invalid ones. */
export function toUpdate(
  form: SessionForm,
  session: Session,
): { update: UpdateSession } | { wrong: ReadonlySet<FormField> } {
  const wanted = {
    name: form.name,
    description: form.description,
    tags: words(form.tags),
    labels: words(form.labels),
    idleTimeoutSeconds: Math.round(number(form.idleMinutes) * 60),
    budgetUsd: form.budget.trim() === '' ? null : number(form.budget),
    holdOnFailure: form.holdOnFailure,
  };
  const parsed = UpdateSession.safeParse(wanted);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => formFieldOf(String(path[0])));
    return { wrong: new Set(fields.filter((field) => field !== null)) };
  }
  const changed = Object.entries(parsed.data).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(session[name as keyof Session]),
  );
  return { update: Object.fromEntries(changed) };
}
