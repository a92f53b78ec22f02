import { ArrowUp, Clock, GripVertical, Paperclip, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { spellOutUnseen } from '../../../src/client/spell-out-unseen.ts';
import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import type { RunView } from '../../../src/contract/run-view.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { isComposing } from '../../parts/composing.ts';
import { enterHint, isSend } from '../../parts/enter.ts';
import { exactTime, shortTime } from '../../parts/time.tsx';
import { useStore } from '../../state/store.ts';
import { language } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { useAutosize } from '../composer/autosize.ts';
import { useConversation } from '../context.ts';

interface Props {
  readonly run: RunView;
  readonly at: number;
  readonly count: number;
  readonly mayAct: boolean;
  /** The run as it was when editing started; undefined if it is not being edited. */
  readonly was: RunView | undefined;
  /** Whether the run has started and can no longer be edited. */
  readonly hasStarted: boolean;
  readonly onEditing: (on: boolean) => void;
  readonly onMove: (id: string, to: number) => void;
  readonly onEdit: (message: string) => Promise<unknown>;
  readonly onReturnToDraft: (text: string) => void;
  readonly onRemove: () => void;
}

/** The data type of a dragged row. */
const DRAGGED = 'application/x-baton-queue';

export function QueueRow(props: Props) {
  const { run, at, count, mayAct, was, onEditing, onMove, onRemove } = props;
  const t = useTexts();
  const words = t.conversation.queue;
  const [isOver, setOver] = useState(false);
  const isCommand = takesCommands(useConversation().session.agent);
  const text = isCommand ? spellOutUnseen(run.message ?? '') : (run.message ?? '');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(run.id, event.key === 'ArrowUp' ? at - 1 : at + 1);
  };
  if (was !== undefined) {
    return (
      <li className="border-t border-edge p-2">
        <EditForm {...props} was={was} text={text} isCommand={isCommand} />
      </li>
    );
  }
  return (
    <li
      draggable={mayAct && count > 1}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, run.id);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const dragged = event.dataTransfer.getData(DRAGGED);
        if (dragged === '') return;
        event.preventDefault();
        onMove(dragged, at);
      }}
      className={`flex items-center gap-1 border-t px-1.5 ${isOver ? 'border-accent' : 'border-edge'}`}
    >
      {run.runAt !== null && (
        <Clock size={14} className="mx-[9px] shrink-0 text-soft max-md:mx-1" aria-hidden />
      )}
      {mayAct && count > 1 && (
        <IconButton label={words.drag} onKeyDown={onKeyDown} className="cursor-grab max-md:hidden">
          <GripVertical size={14} />
        </IconButton>
      )}
      <span className="min-w-0 grow truncate px-1 py-1.5" title={text}>
        {text}
      </span>
      {run.attachments.length > 0 && (
        <span
          title={run.attachments.map(({ name }) => name).join(', ')}
          className="figures flex shrink-0 items-center gap-0.5 text-xs text-soft"
        >
          <Paperclip size={12} role="img" aria-label={words.files} />
          {run.attachments.length}
        </span>
      )}
      {run.runAt !== null && <StartsAt at={run.runAt} />}
      {mayAct && (
        <>
          {at > 0 && (
            <IconButton
              label={words.up}
              onClick={() => onMove(run.id, at - 1)}
              className="md:hidden"
            >
              <ArrowUp size={14} />
            </IconButton>
          )}
          <IconButton label={words.edit} onClick={() => onEditing(true)}>
            <Pencil size={14} />
          </IconButton>
          <IconButton label={words.remove} onClick={onRemove}>
            <Trash2 size={14} />
          </IconButton>
        </>
      )}
    </li>
  );
}

/** The scheduled start. */
function StartsAt({ at }: { at: string }) {
  const t = useTexts();
  const locale = useStore(language);
  return (
    <time
      dateTime={at}
      title={exactTime(at, locale)}
      className="figures shrink-0 text-xs text-soft"
    >
      {t.conversation.queue.startsAt(shortTime(at, locale))}
    </time>
  );
}

interface EditFormProps extends Props {
  readonly was: RunView;
  /** The current message, as it is shown. */
  readonly text: string;
  readonly isCommand: boolean;
}

function EditForm({
  run,
  was,
  text,
  isCommand,
  hasStarted,
  onEdit,
  onEditing,
  onReturnToDraft,
}: EditFormProps) {
  const t = useTexts();
  const words = t.conversation.queue;
  const [value, setValue] = useState(was.message ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useAutosize(field, value);
  const shown = isCommand ? spellOutUnseen(value) : value;
  const onCancel = (): void => onEditing(false);
  const save = (): void => {
    if (hasStarted || value.trim() === '') return;
    // The reason for a failure is shown above the list.
    onEdit(value).then(onCancel, () => {});
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={field}
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit it
        autoFocus
        rows={1}
        value={value}
        aria-label={words.editing}
        enterKeyHint={enterHint('done')}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onCancel();
          if (!isSend(event)) return;
          event.preventDefault();
          save();
        }}
        className="block max-h-[25dvh] w-full resize-none rounded border border-line bg-paper px-2 py-1.5"
      />
      {shown !== value && (
        <p className="mt-1 text-dense text-warn">
          {t.approvals.holdsHidden} <code className="font-mono">{shown}</code>
        </p>
      )}
      {hasStarted ? (
        <p role="alert" className="mt-1 text-dense text-warn">
          {words.started}
        </p>
      ) : (
        run.message !== was.message && (
          <p role="alert" className="mt-1 text-dense text-warn">
            {words.changed} <q className="break-words">{text}</q>
          </p>
        )
      )}
      <div className="mt-1 flex flex-wrap justify-end gap-2 max-md:*:min-h-11">
        <Button size="small" variant="quiet" onClick={onCancel}>
          {hasStarted ? t.conversation.discard : t.common.cancel}
        </Button>
        {hasStarted ? (
          <Button
            size="small"
            variant="primary"
            onClick={() => {
              onReturnToDraft(value);
              onCancel();
            }}
          >
            {words.asNew}
          </Button>
        ) : (
          <Button size="small" type="submit" variant="primary" disabled={value.trim() === ''}>
            {t.common.save}
          </Button>
        )}
      </div>
    </form>
  );
}
