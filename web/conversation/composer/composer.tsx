import { ArrowUp, Paperclip } from 'lucide-react';
import { type DragEvent, useRef } from 'react';
import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import { ATTACHMENTS_BYTES, ATTACHMENTS_MAX, MESSAGE_MAX } from '../../../src/contract/limits.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { enterHint, isSend } from '../../parts/enter.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { Current } from '../log/blocks.ts';
import type { Draft } from '../outbox/draft.ts';
import type { Written } from '../outbox/outbox.ts';
import { useAutosize } from './autosize.ts';
import { BusyChoice, useOnBusy } from './busy-choice.tsx';
import { PickedFiles } from './picked-files.tsx';
import { StopButton } from './stop-button.tsx';

interface Props {
  readonly current: Current | null;
  readonly draft: Draft;
  readonly onSend: (written: Written) => void;
}

const ID = 'composer';

/** Returns a message to the composer. */
export function returnToDraft(draft: Draft, written: Pick<Written, 'text' | 'files'>): void {
  draft.returnToDraft(written);
  document.getElementById(ID)?.focus();
}

/** The message field; its draft survives a reload. */
export function Composer({ current, draft, onSend }: Props) {
  const t = useTexts();
  const { session } = useConversation();
  const { text, files, trouble, isReading, isStored } = useStore(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [onBusy, choose] = useOnBusy(session.agent.kind, files.length > 0);
  useAutosize(field, text);

  const isBlank = text.trim() === '';
  const send = (): void => {
    const taken = draft.take();
    if (taken === null) return;
    onSend({ ...taken, onBusy: current === null ? 'enqueue' : onBusy });
    field.current?.focus();
  };
  const isCommand = takesCommands(session.agent);
  const placeholder =
    current !== null
      ? t.conversation.placeholderBusy
      : isCommand
        ? t.conversation.placeholderShell
        : t.conversation.placeholderAgent;
  return (
    <form
      className="rounded border border-line bg-panel focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <PickedFiles files={files} onRemove={(id) => draft.remove(id)} />
      {isReading && (
        <p role="status" className="px-3 pt-2 text-dense text-soft">
          {t.conversation.readingFiles}
        </p>
      )}
      {trouble !== null && (
        <p role="alert" className="px-3 pt-2 text-dense text-bad">
          {trouble.is === 'many'
            ? t.conversation.tooManyFiles(ATTACHMENTS_MAX)
            : trouble.is === 'large'
              ? t.conversation.filesTooLarge(`${ATTACHMENTS_BYTES / 1024 / 1024} MiB`)
              : t.conversation.fileUnreadable(trouble.name)}
        </p>
      )}
      {!isStored && (
        <p role="alert" className="px-3 pt-2 text-dense text-warn">
          {t.conversation.draftNotKept}
        </p>
      )}
      <textarea
        ref={field}
        id={ID}
        rows={1}
        maxLength={MESSAGE_MAX}
        value={text}
        placeholder={placeholder}
        aria-label={t.conversation.write}
        enterKeyHint={enterHint('send')}
        onChange={(event) => draft.write(event.target.value)}
        onKeyDown={(event) => {
          if (!isSend(event)) return;
          event.preventDefault();
          send();
        }}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          void draft.add([...event.clipboardData.files]);
        }}
        className={`block max-h-[40dvh] min-h-10 max-md:max-h-[30dvh] w-full resize-none overflow-y-auto bg-transparent px-3 py-2 outline-none ${isCommand ? 'font-mono' : ''}`}
      />
      <div className="flex flex-wrap items-center gap-1 px-1.5 pb-1.5">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void draft.add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <IconButton label={t.conversation.attach} onClick={() => chooser.current?.click()}>
          <Paperclip size={16} />
        </IconButton>
        {current !== null && (
          <BusyChoice
            // On a phone, it gets its own line once there is something to send.
            className={
              isBlank ? 'max-sm:hidden' : 'max-sm:order-first max-sm:mb-1 max-sm:basis-full'
            }
            kind={session.agent.kind}
            hasFiles={files.length > 0}
            value={onBusy}
            onChange={choose}
          />
        )}
        <span className="grow" />
        {current !== null && (
          <StopButton runId={current.runId} variant={isBlank ? 'primary' : 'plain'} />
        )}
        {(current === null || !isBlank) && (
          <Button type="submit" variant="primary" disabled={isBlank || isReading}>
            <ArrowUp size={16} aria-hidden />
            {t.conversation.send}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Props for an element onto which files can be dropped. */
export const dropOf = (onFiles: (files: readonly File[]) => void) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    onFiles([...event.dataTransfer.files]);
  },
});
