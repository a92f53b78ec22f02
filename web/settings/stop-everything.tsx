import { useMutation, useQuery } from '@tanstack/react-query';
import { OctagonPause } from 'lucide-react';
import { useState } from 'react';
import { STOP_REASON_MAX } from '../../src/contract/limits.ts';
import { client, queries } from '../api/client.ts';
import { stopQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogEnd } from '../parts/dialog-end.tsx';
import { Field } from '../parts/field.tsx';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';

/**
 * Hidden while everything is stopped: the banner on every page says so and lets administrators
 * resume.
 */
export function StopEverything() {
  const t = useTexts();
  const [isAsked, setIsAsked] = useState(false);
  const { data: stop } = useQuery(stopQuery);
  if (stop?.stopped !== false) return null;
  return (
    <Section
      title={t.settings.stop.title}
      actions={
        <Button variant="danger" onClick={() => setIsAsked(true)}>
          <OctagonPause size={16} aria-hidden />
          {t.settings.stop.ask}
        </Button>
      }
    >
      <p className="text-soft">{t.settings.stop.about}</p>
      {isAsked && <StopDialog onClose={() => setIsAsked(false)} />}
    </Section>
  );
}

function StopDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const [reason, setReason] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const given = reason.trim();
      return client.putStop({
        body: { stopped: true, ...(given === '' ? {} : { reason: given }) },
      });
    },
    onSuccess: (stop) => {
      onClose();
      queries.setQueryData(stopQuery.queryKey, stop);
    },
  });
  return (
    <Dialog open onClose={onClose} title={t.settings.stop.sure} about={t.settings.stop.help}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label={t.settings.stop.reason} hint={t.settings.stop.reasonHelp}>
          {(props) => (
            <input
              {...props}
              name="reason"
              value={reason}
              maxLength={STOP_REASON_MAX}
              autoComplete="off"
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <DialogEnd
          error={error}
          confirm={t.settings.stop.confirm}
          variant="danger"
          isPending={isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
