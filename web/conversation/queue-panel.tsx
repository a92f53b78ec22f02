import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunView } from '../../src/contract/run-view.ts';
import { client, queries } from '../api/client.ts';
import { useTexts } from '../texts/texts.ts';
import { Action } from './action.tsx';
import { useConversation } from './context.ts';
import type { Outgoing } from './outbox.ts';
import { moved } from './queue-order.ts';
import { QueueRow } from './queue-row.tsx';
import { refusalOf } from './refusal.ts';
import { queuedQuery } from './session-state.ts';

interface Props {
  /** Sent, and not yet among the queued. */
  readonly letters: readonly Outgoing[];
  /** Shown elsewhere: these are about to start. */
  readonly hidden: ReadonlySet<string>;
}

/** What waits for its turn: to be changed, moved and taken away until it begins. */
export function QueuePanel({ letters, hidden }: Props) {
  const t = useTexts();
  const { session, mayAct } = useConversation();
  const query = queuedQuery(session.id);
  const { data } = useQuery(query);
  const [said, setSaid] = useState('');
  const runs = (data?.items ?? []).filter(({ id }) => !hidden.has(id));
  const later = data?.later ?? [];
  const show = (items: readonly RunView[]): void => {
    queries.setQueryData(query.queryKey, (known) => known && { ...known, items: [...items] });
  };
  const settle = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const change = useMutation({
    mutationFn: async (act: () => Promise<unknown>) => {
      await queries.cancelQueries({ queryKey: query.queryKey });
      return act();
    },
    onSettled: settle,
  });
  const edit = (id: string, message: string) =>
    change.mutateAsync(() => client.editRun({ params: { id }, body: { message } }));
  const remove = (gone: string): void => {
    change.mutate(() => client.removeRun({ params: { id: gone } }));
    const isLeft = ({ id }: RunView): boolean => id !== gone;
    queries.setQueryData(
      query.queryKey,
      (known) => known && { items: known.items.filter(isLeft), later: known.later.filter(isLeft) },
    );
  };
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= runs.length || from === to) return;
    const next = moved(runs, from, to);
    const id = runs[from]!.id;
    change.mutate(() => client.editRun({ params: { id }, body: { before: next.before } }));
    show(next.runs);
    setSaid(t.conversation.queue.moved(to + 1, runs.length));
  };
  const count = runs.length + later.length + letters.length;
  if (count === 0) return null;
  return (
    <section
      aria-label={t.conversation.queue.title(count)}
      className="mb-2 rounded border border-edge bg-panel"
    >
      <header className="flex flex-wrap items-center gap-2 px-3 py-1 text-dense text-soft">
        <h2 className="grow">
          {t.conversation.queue.title(count)}
          {session.held && <span className="text-warn"> · {t.conversation.queue.held}</span>}
        </h2>
        {session.held && (
          <Action act={() => client.resume({ params: { id: session.id } })}>
            {t.detail.deeds.resume.name}
          </Action>
        )}
      </header>
      {change.error !== null && (
        <p role="alert" className="px-3 pb-1 text-dense text-bad">
          {t.conversation.actionFailed} {refusalOf(change.error, t)}
        </p>
      )}
      {/* Half a row shows that there are more. */}
      <ol className="max-h-[min(30dvh,222px)] overflow-y-auto max-md:max-h-[min(30dvh,203px)]">
        {runs.map((run, at) => (
          <QueueRow
            key={run.id}
            run={run}
            at={at}
            count={runs.length}
            mayAct={mayAct}
            onMove={move}
            onEdit={(message) => edit(run.id, message)}
            onRemove={() => remove(run.id)}
          />
        ))}
        {later.map((run) => (
          <QueueRow
            key={run.id}
            run={run}
            at={0}
            // Its time says when it starts, so there is nothing to move.
            count={1}
            mayAct={mayAct}
            onMove={() => {}}
            onEdit={(message) => edit(run.id, message)}
            onRemove={() => remove(run.id)}
          />
        ))}
        {letters.map(({ key, text, state }) => (
          <li
            key={key}
            className="flex items-center gap-2 border-t border-edge px-3 py-1.5 text-soft"
          >
            <span className="min-w-0 grow truncate">{text}</span>
            <span className="shrink-0 text-xs">
              {state === 'waiting' ? t.conversation.unsent : t.conversation.sending}
            </span>
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
    </section>
  );
}
