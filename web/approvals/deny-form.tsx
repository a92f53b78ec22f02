import { useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly busy: boolean;
  readonly onDeny: (reason: string) => void;
  readonly onCancel: () => void;
}

/** A refusal, with why if the person wants to say it. */
export function DenyForm({ busy, onDeny, onCancel }: Props) {
  const t = useTexts();
  const [reason, setReason] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
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
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2 max-md:*:min-h-12 max-md:*:grow">
        <Button onClick={onCancel}>{t.common.cancel}</Button>
        <Button look="danger" type="submit" disabled={busy}>
          {t.approvals.deny}
        </Button>
      </div>
    </form>
  );
}
