import { useMutation } from '@tanstack/react-query';
import { Square } from 'lucide-react';
import { isBatonError } from '../../../src/contract/errors.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { useTexts } from '../../texts/texts.ts';
import { refusalOf } from '../refusal.ts';

/** Stops the current run. */
export function StopButton({ runId, variant }: { runId: string; variant: 'primary' | 'plain' }) {
  const t = useTexts();
  const stop = useMutation({
    mutationFn: (id: string) => client.cancelRun({ params: { id } }),
  });
  // The user has asked to stop the run, but it has not stopped yet.
  const isStopping = (stop.isPending || stop.isSuccess) && stop.variables === runId;
  const error = isBatonError(stop.error, 'run_finished') ? null : stop.error;
  return (
    <>
      {error !== null && (
        <span role="alert" className="text-dense text-bad">
          {refusalOf(error, t)}
        </span>
      )}
      <Button variant={variant} disabled={isStopping} onClick={() => stop.mutate(runId)}>
        <Square size={14} fill="currentColor" aria-hidden />
        {isStopping ? t.conversation.stopping : t.conversation.stop}
      </Button>
    </>
  );
}
