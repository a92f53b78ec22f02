import { useMutation } from '@tanstack/react-query';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { problemOf } from './problem.ts';

interface ConfirmDialogProps {
  readonly title: string;
  /** What is kept and what is lost. */
  readonly about: string;
  /** The verb on the button. */
  readonly confirm: string;
  readonly look?: 'primary' | 'danger';
  /** Closed when it has been done; what went wrong is said in it. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asked before something is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, about, confirm, look = 'primary', act, onClose } = props;
  const t = useTexts();
  const { mutate, error, isPending } = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      {error !== null && (
        <div className="mb-4">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button look={look} disabled={isPending} onClick={() => mutate()}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
