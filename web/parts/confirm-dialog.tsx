import { useMutation } from '@tanstack/react-query';
import { Dialog } from './dialog.tsx';
import { DialogEnd } from './dialog-end.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What is kept and what is lost. */
  readonly about: string;
  /** The verb on the button. */
  readonly confirm: string;
  readonly variant?: 'primary' | 'danger';
  /** Closes the dialog on success; errors are shown in it. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, about, confirm, variant = 'primary', act, onClose } = props;
  const { mutate, error, isPending } = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      <DialogEnd
        error={error}
        confirm={confirm}
        variant={variant}
        isPending={isPending}
        onClose={onClose}
        onConfirm={() => mutate()}
      />
    </Dialog>
  );
}
