import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { problemOf } from './problem.ts';

interface DialogEndProps {
  /** What went wrong, unless it is shown elsewhere. */
  readonly error: Error | null;
  /** The verb on the button. */
  readonly confirm: string;
  readonly look?: 'primary' | 'danger';
  readonly isPending: boolean;
  readonly onClose: () => void;
  /** Without it the button submits the form that it is in. */
  readonly onConfirm?: () => void;
}

/** The end of a dialog: what went wrong, the way out, and the button that acts. */
export function DialogEnd(props: DialogEndProps) {
  const { error, confirm, look = 'primary', isPending, onClose, onConfirm } = props;
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
        <Button look={look} disabled={isPending} {...kind}>
          {confirm}
        </Button>
      </div>
    </>
  );
}
