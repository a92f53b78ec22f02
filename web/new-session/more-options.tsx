import type { InputHTMLAttributes } from 'react';
import { capabilitiesOf } from '../../src/contract/agent-kinds.ts';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';
import { DECISIONS } from '../tool-rules/rules.ts';
import type { FormField, NewForm } from './form.ts';
import { HostChoice } from './host-choice.tsx';

interface Props {
  readonly form: NewForm;
  readonly set: (part: Partial<NewForm>) => void;
  readonly errorOf: (field: FormField) => string | undefined;
}

type Plain = 'model' | 'path' | 'tags' | 'idleMinutes' | 'budget';

/** Options with good defaults. */
export function MoreOptions({ form, set, errorOf }: Props) {
  const t = useTexts();
  const can = capabilitiesOf(form.kind);
  const field = (
    name: Plain,
    label: string,
    hint: string | undefined,
    more: InputHTMLAttributes<HTMLInputElement> = {},
  ) => (
    <Field label={label} hint={hint} error={errorOf(name)}>
      {(props) => (
        <input
          {...props}
          name={name}
          autoComplete="off"
          spellCheck={false}
          value={form[name]}
          onChange={({ target }) => set({ [name]: target.value })}
          {...more}
        />
      )}
    </Field>
  );
  return (
    <div className="pt-3">
      {field('path', t.newSession.path, t.newSession.pathHelp, { placeholder: '/' })}
      <HostChoice host={form.host} onChange={(host) => set({ host })} error={errorOf('host')} />
      <div className="grid gap-x-4 md:grid-cols-2">
        {can.models && field('model', t.newSession.model, t.agents[form.kind].modelHelp)}
        {field('tags', t.newSession.tags, t.newSession.tagsHelp)}
        {field('idleMinutes', t.newSession.idleMinutes, t.newSession.idleHelp, {
          inputMode: 'decimal',
        })}
        {can.spends &&
          field('budget', t.newSession.budget, t.newSession.budgetHelp, { inputMode: 'decimal' })}
      </div>
      <label className="mb-4 flex min-h-9 items-center gap-2 max-md:min-h-11">
        <input
          type="checkbox"
          checked={form.holdOnFailure}
          onChange={({ target }) => set({ holdOnFailure: target.checked })}
        />
        {t.newSession.holdOnFailure}
      </label>
      <fieldset>
        <legend className="font-medium">{t.newSession.rules}</legend>
        <p className="mb-2 text-dense text-soft">{t.newSession.rulesHelp}</p>
        <div className="grid gap-x-4 md:grid-cols-3">
          {DECISIONS.map((each) => (
            <Field key={each} label={t.settings.decisions[each]} error={errorOf(each)}>
              {(props) => (
                <textarea
                  {...props}
                  name={each}
                  rows={3}
                  spellCheck={false}
                  value={form[each]}
                  onChange={({ target }) => set({ [each]: target.value })}
                  className={`${props.className} font-mono text-dense`}
                />
              )}
            </Field>
          ))}
        </div>
      </fieldset>
    </div>
  );
}
