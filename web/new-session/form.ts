import { capabilitiesOf, DEFAULT_KIND, type DrivenKind } from '../../src/contract/agent-kinds.ts';
import { MessageText } from '../../src/contract/message.ts';
import type { ToolRules } from '../../src/contract/policy.ts';
import { CreateSession, IDLE_TIMEOUT_DEFAULT_S } from '../../src/contract/session.ts';
import { badRule, DECISIONS, toList } from '../tool-rules/rules.ts';

/** The form's fields, as text. */
export interface NewForm {
  readonly name: string;
  readonly message: string;
  readonly kind: DrivenKind;
  /**
   * Whether the user chose the agent; if not, it is the one that was ready when they started
   * writing.
   */
  readonly kindIsChosen: boolean;
  readonly model: string;
  readonly path: string;
  readonly host: string;
  readonly tags: string;
  readonly idleMinutes: string;
  readonly budget: string;
  readonly holdOnFailure: boolean;
  readonly allow: string;
  readonly ask: string;
  readonly deny: string;
}
export type FormField = Exclude<keyof NewForm, 'kind' | 'kindIsChosen' | 'holdOnFailure'>;

export const EMPTY: NewForm = {
  name: '',
  message: '',
  kind: DEFAULT_KIND,
  kindIsChosen: false,
  model: '',
  path: '',
  host: '',
  tags: '',
  idleMinutes: String(IDLE_TIMEOUT_DEFAULT_S / 60),
  budget: '',
  holdOnFailure: true,
  allow: '',
  ask: '',
  deny: '',
};

/** Fields hidden until "More options" is opened. */
export const MORE_OPTIONS: ReadonlySet<FormField> = new Set([
  'model',
  'path',
  'host',
  'tags',
  'idleMinutes',
  'budget',
  ...DECISIONS,
]);

export interface SessionRequest {
  readonly create: CreateSession;
  readonly message: string;
  /** Null if no rules were given. */
  readonly rules: ToolRules | null;
}

/** The request to send to the server, with this session name, or the invalid fields. */
export function parseForm(
  form: NewForm,
  name: string,
): { request: SessionRequest } | { wrong: ReadonlySet<FormField> } {
  const model = form.model.trim();
  const path = form.path.trim();
  const host = form.host.trim();
  const parsed = CreateSession.safeParse({
    name,
    tags: words(form.tags),
    agent: {
      kind: form.kind,
      ...(model === '' || !capabilitiesOf(form.kind).models ? {} : { model }),
    },
    workspace: {
      provider: 'directory',
      ...(path === '' ? {} : { path }),
      ...(host === '' ? {} : { host }),
    },
    idleTimeoutSeconds: Math.round(number(form.idleMinutes) * 60),
    budgetUsd: form.budget.trim() === '' ? null : number(form.budget),
    holdOnFailure: form.holdOnFailure,
  });
  const wrong = new Set<FormField>(
    (parsed.error?.issues ?? []).flatMap((issue) => formFieldOf(issue.path.join('.')) ?? []),
  );
  if (!MessageText.safeParse(form.message).success) wrong.add('message');
  for (const each of DECISIONS) if (badRule(form[each]) !== null) wrong.add(each);
  if (!parsed.success || wrong.size > 0) return { wrong };
  const rules = { allow: toList(form.allow), ask: toList(form.ask), deny: toList(form.deny) };
  const some = rules.allow.length + rules.ask.length + rules.deny.length > 0;
  return { request: { create: parsed.data, message: form.message, rules: some ? rules : null } };
}

/** The form field for a field named by the server, such as `tags.0`. */
export function formFieldOf(field: string): FormField | null {
  const known = FORM_FIELDS.find(([start]) => field === start || field.startsWith(`${start}.`));
  return known?.[1] ?? null;
}

const FORM_FIELDS: readonly (readonly [string, FormField])[] = [
  ['name', 'name'],
  ['message', 'message'],
  ['tags', 'tags'],
  ['agent.model', 'model'],
  ['workspace.host', 'host'],
  ['workspace', 'path'],
  ['idleTimeoutSeconds', 'idleMinutes'],
  ['budgetUsd', 'budget'],
  ['allow', 'allow'],
  ['ask', 'ask'],
  ['deny', 'deny'],
];

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
