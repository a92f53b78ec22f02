import { useMutation } from '@tanstack/react-query';
import { Dialog } from './dialog.tsx';
import { DialogEnd } from './dialog-end.tsx';

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
  const { mutate, error, isPending } = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      <DialogEnd
        error={error}
        confirm={confirm}
        look={look}
        isPending={isPending}
        onClose={onClose}
        onConfirm={() => mutate()}
      />
    </Dialog>
  );
}
