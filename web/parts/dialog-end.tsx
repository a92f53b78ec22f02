import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { problemOf } from './problem.ts';

interface DialogEndProps {
  /** The error to show; null if it is shown elsewhere. */
  readonly error: Error | null;
  /** The verb on the button. */
  readonly confirm: string;
  readonly variant?: 'primary' | 'danger';
  readonly isPending: boolean;
  readonly onClose: () => void;
  /** Without this function, the button submits its form. */
  readonly onConfirm?: () => void;
}

/** The bottom of a dialog: error, Cancel and the confirming button. */
export function DialogEnd(props: DialogEndProps) {
  const { error, confirm, variant = 'primary', isPending, onClose, onConfirm } = props;
  const t = useTexts();
  const kind = onConfirm === undefined ? { type: 'submit' as const } : { onClick: onConfirm };
  return (
    <>
      {error !== null && (
        <div className="mb-4">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button variant={variant} disabled={isPending} {...kind}>
          {confirm}
        </Button>
      </div>
    </>
  );
}
