import { useLayoutEffect, useRef, useState } from 'react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';
import { type EditField, fromEditFields } from './edit.ts';
import type { Fields } from './tool-call.ts';

interface Props {
  readonly original: Fields;
  /** The current values. */
  readonly fields: readonly EditField[];
  readonly busy: boolean;
  /** False if the form merely reappears. */
  readonly takesFocus: boolean;
  /** The server's error about a field. */
  readonly refused: { readonly field: string; readonly why: string } | null;
  readonly onChange: (fields: readonly EditField[]) => void;
  readonly onAllow: (input: Record<string, Json>) => void;
  readonly onCancel: () => void;
}

/** The input of a tool call as form fields. */
export function EditForm({ original, fields, busy, takesFocus, refused, ...on }: Props) {
  const t = useTexts();
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // Runs before painting, because the next key press is meant for this field.
  useLayoutEffect(() => {
    if (takesFocus) form.current?.querySelector<HTMLElement>('textarea, input')?.focus();
  }, [takesFocus]);
  const edited = fromEditFields(fields, original);
  const errorOf = (name: string): string | undefined => {
    const problem = tried ? edited.problems?.get(name) : undefined;
    if (problem !== undefined) return t.approvals.problem[problem];
    return refused?.field === name ? refused.why : undefined;
  };
  const submit = (): void => {
    setTried(true);
    if (edited.input !== undefined && !busy) on.onAllow(edited.input);
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') on.onCancel();
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
      }}
    >
      {fields.map((field, at) => (
        <One
          key={field.name}
          field={field}
          error={errorOf(field.name)}
          onChange={(value) =>
            on.onChange(fields.map((each, i) => (i === at ? { ...each, value } : each)))
          }
        />
      ))}
      <div className="flex flex-wrap gap-2 max-md:*:min-h-12 max-md:*:grow">
        <Button onClick={on.onCancel}>{t.common.cancel}</Button>
        <Button variant="primary" type="submit" disabled={busy}>
          {t.approvals.allowEdited}
        </Button>
      </div>
    </form>
  );
}

interface OneProps {
  readonly field: EditField;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function One({ field: { name, as, value }, error, onChange }: OneProps) {
  const t = useTexts();
  const seen = spellOutUnseen(value);
  const hint = (
    <>
      {as === 'json' && t.approvals.keepsShape}
      {seen !== value && (
        <span className="block text-warn">
          {t.approvals.holdsHidden} <code className="font-mono">{seen}</code>
        </span>
      )}
    </>
  );
  return (
    <Field
      label={spellOutUnseen(name)}
      error={error}
      hint={as === 'json' || seen !== value ? hint : undefined}
    >
      {(props) => {
        if (as === 'flag') {
          return (
            <label className="flex min-h-9 items-center gap-2">
              <input
                id={props.id}
                type="checkbox"
                checked={value === 'true'}
                onChange={({ target }) => onChange(String(target.checked))}
              />
              {t.approvals.yes}
            </label>
          );
        }
        if (as === 'number') {
          return (
            <input
              {...props}
              inputMode="decimal"
              value={value}
              onChange={({ target }) => onChange(target.value)}
            />
          );
        }
        return (
          <textarea
            {...props}
            rows={Math.min(12, Math.max(1, value.split('\n').length))}
            spellCheck={false}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={`${props.className} field-sizing-content max-h-[40vh] resize-y font-mono text-dense`}
          />
        );
      }}
    </Field>
  );
}
