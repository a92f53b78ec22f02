import { ArrowUp, Clock, GripVertical, Paperclip, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { RunView } from '../../src/contract/run-view.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { useStore } from '../parts/store.ts';
import { exactTime, shortTime } from '../parts/time.tsx';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { useAutosize } from './autosize.ts';

interface Props {
  readonly run: RunView;
  readonly at: number;
  readonly count: number;
  readonly mayAct: boolean;
  readonly onMove: (from: number, to: number) => void;
  readonly onEdit: (message: string) => Promise<unknown>;
  readonly onRemove: () => void;
}

/** What a row says when it is dragged. */
const DRAGGED = 'application/x-baton-queue';

export function QueueRow({ run, at, count, mayAct, onMove, onEdit, onRemove }: Props) {
  const t = useTexts();
  const words = t.conversation.queue;
  const [editing, setEditing] = useState(false);
  const [isOver, setOver] = useState(false);
  const text = run.message ?? '';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(at, event.key === 'ArrowUp' ? at - 1 : at + 1);
  };
  if (editing) {
    return (
      <li className="border-t border-edge p-2">
        <EditForm
          text={text}
          onCancel={() => setEditing(false)}
          onSave={async (message) => {
            await onEdit(message);
            setEditing(false);
          }}
        />
      </li>
    );
  }
  return (
    <li
      draggable={mayAct && count > 1}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, String(at));
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
        const from = event.dataTransfer.getData(DRAGGED);
        if (from === '') return;
        event.preventDefault();
        onMove(Number(from), at);
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
            <IconButton label={words.up} onClick={() => onMove(at, at - 1)} className="md:hidden">
              <ArrowUp size={14} />
            </IconButton>
          )}
          <IconButton label={words.edit} onClick={() => setEditing(true)}>
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

/** When it starts. */
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

interface EditProps {
  readonly text: string;
  readonly onSave: (message: string) => Promise<void>;
  readonly onCancel: () => void;
}

function EditForm({ text, onSave, onCancel }: EditProps) {
  const t = useTexts();
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useAutosize(field, value);
  const save = (): void => {
    // Why it was not saved is said above the list.
    if (value.trim() !== '') void onSave(value).catch(() => {});
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
        // biome-ignore lint/a11y/noAutofocus: a person has asked to edit it
        autoFocus
        rows={1}
        value={value}
        aria-label={t.conversation.queue.editing}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          save();
        }}
        className="block max-h-[25dvh] w-full resize-none rounded border border-line bg-paper px-2 py-1.5"
      />
      <div className="mt-1 flex justify-end gap-2">
        <Button size="small" look="quiet" onClick={onCancel}>
          {t.common.cancel}
        </Button>
        <Button size="small" type="submit" look="primary" disabled={value.trim() === ''}>
          {t.common.save}
        </Button>
      </div>
    </form>
  );
}
