import { client } from '../api/client.ts';
import { Notice } from '../parts/notice.tsx';
import { useTexts } from '../texts/texts.ts';
import { Action } from './action.tsx';
import { Composer, returnToDraft } from './composer/composer.tsx';
import { useConversation } from './context.ts';
import { hasEnded } from './ended.ts';
import type { Current } from './log/blocks.ts';
import type { Draft } from './outbox/draft.ts';
import type { OutboxItem, Written } from './outbox/outbox.ts';
import { QueuePanel } from './queue/queue-panel.tsx';

interface Props {
  readonly current: Current | null;
  readonly messages: readonly OutboxItem[];
  readonly draft: Draft;
  readonly onSend: (written: Written) => void;
}

/** The queue and the composer. */
export function Footer({ current, messages, draft, onSend }: Props) {
  const t = useTexts();
  const { session, mayAct } = useConversation();
  const aboutToStart = new Set(
    messages.flatMap(({ shownIn, runId }) => (shownIn === 'flow' && runId !== null ? [runId] : [])),
  );
  return (
    // When space is tight, the queue shrinks first.
    <footer className="flex min-h-0 flex-col px-10 pb-3 max-md:px-2 max-md:pb-2">
      <div className="mx-auto flex min-h-0 w-full max-w-[740px] flex-col *:shrink-0">
        {session.hostAway && session.unfinishedRuns > 0 && (
          <div className="mb-2">
            <Notice tone="warn" title={t.conversation.hostAway(session.hostName ?? '')} />
          </div>
        )}
        <QueuePanel
          messages={messages.filter(
            ({ shownIn, state }) => shownIn === 'queue' && state !== 'refused',
          )}
          aboutToStart={aboutToStart}
          onReturnToDraft={(text) => returnToDraft(draft, { text, files: [] })}
        />
        {!mayAct ? (
          <p className="py-2 text-center text-dense text-soft">{t.conversation.readOnly}</p>
        ) : hasEnded(session) ? (
          <div className="flex flex-wrap items-center justify-center gap-3 py-2 text-dense text-soft">
            {t.conversation.ended}
            <Action act={() => client.reopen({ params: { id: session.id } })}>
              {t.common.actions.reopen}
            </Action>
          </div>
        ) : (
          <Composer key={session.id} current={current} draft={draft} onSend={onSend} />
        )}
      </div>
    </footer>
  );
}
