import { useLayoutEffect, useRef } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly reason: string;
  readonly busy: boolean;
  /** False if the form merely reappears. */
  readonly takesFocus: boolean;
  readonly onChange: (reason: string) => void;
  readonly onDeny: (reason: string) => void;
  readonly onCancel: () => void;
}

/** A denial with an optional reason. */
export function DenyForm({ reason, busy, takesFocus, onChange, onDeny, onCancel }: Props) {
  const t = useTexts();
  const input = useRef<HTMLInputElement>(null);
  // Runs before painting, because the next key press is meant for this field.
  useLayoutEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onDeny(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) onCancel();
      }}
    >
      <Field
        label={`${t.approvals.denyReason} (${t.common.optional})`}
        hint={t.approvals.denyReasonHelp}
      >
        {(props) => (
          <input
            {...props}
            ref={input}
            type="text"
            maxLength={10_000}
            value={reason}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2 max-md:*:min-h-12 max-md:*:grow">
        <Button onClick={onCancel}>{t.common.cancel}</Button>
        <Button variant="danger" type="submit" disabled={busy}>
          {t.approvals.deny}
        </Button>
      </div>
    </form>
  );
}
