import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { spellOutUnseen } from '../../../src/client/spell-out-unseen.ts';
import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import type { RunView } from '../../../src/contract/run-view.ts';
import { client, queries } from '../../api/client.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useTexts } from '../../texts/texts.ts';
import { Action } from '../action.tsx';
import { useConversation } from '../context.ts';
import type { OutboxItem } from '../outbox/outbox.ts';
import { refusalOf } from '../refusal.ts';
import { queuedQuery } from '../session-state.ts';
import { moved } from './queue-order.ts';

const QueueRow = lazyPart(() => import('./queue-row.tsx'), 'QueueRow');

interface Props {
  /** Sent, but not in the queue yet. */
  readonly messages: readonly OutboxItem[];
  /** Ids of runs that are shown elsewhere because they are about to start. */
  readonly aboutToStart: ReadonlySet<string>;
  /** Called if an edit came too late. */
  readonly onReturnToDraft: (text: string) => void;
}

/** Queued messages, which can be edited, moved and removed until they start. */
export function QueuePanel({ messages, aboutToStart, onReturnToDraft }: Props) {
  const t = useTexts();
  const { session, mayAct } = useConversation();
  const query = queuedQuery(session.id);
  const { data } = useQuery(query);
  const [announcement, setAnnouncement] = useState('');
  const runs = (data?.items ?? []).filter(({ id }) => !aboutToStart.has(id));
  const later = data?.later ?? [];
  const more = data?.more === true;
  // Runs being edited, as they were when editing started; they stay listed until the edit is done.
  const [edited, setEdited] = useState<readonly RunView[]>([]);
  const started = edited.filter(({ id }) => ![...runs, ...later].some((run) => run.id === id));
  const show = (items: readonly RunView[]): void => {
    queries.setQueryData(query.queryKey, (known) => known && { ...known, items: [...items] });
  };
  const refresh = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const change = useMutation({
    mutationFn: async (act: () => Promise<unknown>) => {
      await queries.cancelQueries({ queryKey: query.queryKey });
      return act();
    },
    onSettled: refresh,
  });
  const edit = (id: string, message: string) =>
    change.mutateAsync(() => client.editRun({ params: { id }, body: { message } }));
  const remove = (gone: string): void => {
    change.mutate(() => client.removeRun({ params: { id: gone } }));
    const isLeft = ({ id }: RunView): boolean => id !== gone;
    queries.setQueryData(
      query.queryKey,
      (known) =>
        known && {
          ...known,
          items: known.items.filter(isLeft),
          later: known.later.filter(isLeft),
        },
    );
  };
  const move = (id: string, to: number): void => {
    const from = runs.findIndex((run) => run.id === id);
    if (from === -1 || to < 0 || to >= runs.length || from === to) return;
    const next = moved(runs, from, to, more);
    change.mutate(() => client.editRun({ params: { id }, body: { before: next.before } }));
    show(next.runs);
    const shownIn = next.runs.findIndex((run) => run.id === id) + 1;
    setAnnouncement(t.conversation.queue.moved(shownIn, runs.length));
  };
  const count = runs.length + later.length + messages.length;
  if (count === 0 && started.length === 0) return null;
  const title =
    count === 0
      ? t.conversation.queue.editing
      : more
        ? t.conversation.queue.titleMore(count)
        : t.conversation.queue.title(count);
  const rows = [
    ...started.map((run) => ({ run, at: 0, count: 1 })),
    ...runs.map((run, at) => ({ run, at, count: runs.length })),
    // Scheduled runs cannot be moved.
    ...later.map((run) => ({ run, at: 0, count: 1 })),
  ];
  return (
    <section
      aria-label={title}
      className="mb-2 flex min-h-0 shrink! flex-col overflow-hidden rounded border border-edge bg-panel"
    >
      <header className="flex flex-wrap items-center gap-2 px-3 py-1 text-dense text-soft">
        <h2 className="grow">
          {title}
          {session.held && <span className="text-warn"> · {t.conversation.queue.held}</span>}
        </h2>
        {session.held && (
          <Action act={() => client.resume({ params: { id: session.id } })}>
            {t.common.actions.resume}
          </Action>
        )}
      </header>
      {change.error !== null && (
        <p role="alert" className="px-3 pb-1 text-dense text-bad">
          {t.conversation.actionFailed} {refusalOf(change.error, t)}
        </p>
      )}
      {/* A half-visible row shows that there are more rows. */}
      <ol className="max-h-[min(30dvh,222px)] min-h-0 overflow-y-auto max-md:max-h-[min(30dvh,203px)]">
        {rows.map((row) => (
          <QueueRow
            key={row.run.id}
            {...row}
            mayAct={mayAct}
            was={edited.find(({ id }) => id === row.run.id)}
            hasStarted={started.includes(row.run)}
            onEditing={(on) =>
              setEdited((all) => [
                ...all.filter(({ id }) => id !== row.run.id),
                ...(on ? [row.run] : []),
              ])
            }
            onMove={move}
            onEdit={(message) => edit(row.run.id, message)}
            onReturnToDraft={onReturnToDraft}
            onRemove={() => remove(row.run.id)}
          />
        ))}
        {more && (
          <li className="border-t border-edge px-3 py-1.5 text-dense text-soft">
            {t.conversation.queue.notAll(runs.length)}
          </li>
        )}
        {messages.map(({ key, text, state }) => (
          <li
            key={key}
            className="flex items-center gap-2 border-t border-edge px-3 py-1.5 text-soft"
          >
            <span className="min-w-0 grow truncate">
              {takesCommands(session.agent) ? spellOutUnseen(text) : text}
            </span>
            <span className="shrink-0 text-xs">
              {state === 'waiting' ? t.conversation.unsent : t.conversation.sending}
            </span>
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </section>
  );
}
