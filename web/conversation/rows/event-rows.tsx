import { CircleAlert, FilePen, Gauge, Info } from 'lucide-react';
import { client } from '../../api/client.ts';
import { DiffView } from '../../parts/diff-view.tsx';
import type { DiffLine } from '../../parts/line-diff.ts';
import { Notice } from '../../parts/notice.tsx';
import { Ago, duration, useSeconds } from '../../parts/time.tsx';
import { useStore } from '../../state/store.ts';
import { noteOf } from '../../texts/event-notes.ts';
import { language } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { Action } from '../action.tsx';
import { useConversation } from '../context.ts';
import type {
  CutOffBlock,
  DiffBlock,
  HeldBlock,
  LimitBlock,
  NoteBlock,
  NoticeBlock,
  RetryBlock,
  StatusBlock,
} from '../log/blocks.ts';
import { Line } from './line.tsx';

/* Events of a run or session other than messages, in plain words and with helpful actions. */

export function Retry({ block }: { block: RetryBlock }) {
  const t = useTexts();
  const words = block.why === 'limit' ? t.conversation.parked : t.conversation.retry;
  if (block.over) return <Line at={block.at}>{words.was}</Line>;
  return (
    <Notice
      tone="warn"
      title={words.title}
      actions={
        <Action act={() => client.cancelRun({ params: { id: block.runId ?? '' } })}>
          {words.stop}
        </Action>
      }
    >
      <p>{block.error.message}</p>
      <Countdown until={block.until} words={words.in} />
    </Notice>
  );
}

function Countdown({ until, words }: { until: number; words: (time: string) => string }) {
  const t = useTexts();
  const left = until - useSeconds();
  return (
    <p className="figures">
      {left > 0 ? words(duration(Math.ceil(left / 1000) * 1000)) : t.conversation.retry.now}
    </p>
  );
}

export function CutOff({ block }: { block: CutOffBlock }) {
  const t = useTexts();
  return <Notice tone="info" title={t.conversation.interrupted[block.why]} />;
}

export function Changed({ block }: { block: DiffBlock }) {
  const t = useTexts();
  const changes = t.conversation.changes;
  return (
    <details className="text-dense">
      <summary className="flex min-h-7 items-center gap-2 rounded px-1 hover:bg-raised max-md:min-h-11">
        <FilePen size={14} className="shrink-0 text-soft" aria-hidden />
        {t.conversation.changedFiles(block.files.length)}
      </summary>
      <ul className="border-l-2 border-edge pl-3 font-mono">
        {block.files.map(({ path, change }) => (
          <li key={path}>
            {path}{' '}
            <span className="text-soft">
              {Object.hasOwn(changes, change) ? changes[change as keyof typeof changes] : change}
            </span>
          </li>
        ))}
      </ul>
      {block.truncated && <p className="pl-3 text-soft">{t.conversation.more}</p>}
      {block.patch !== null && (
        <DiffView lines={patchLines(block.patch)} label={t.conversation.output} />
      )}
    </details>
  );
}

/** The lines of a patch in git's format. */
const patchLines = (patch: string): DiffLine[] =>
  patch.split('\n').map((line) => {
    if (/^\+(?!\+\+ )/.test(line)) return { kind: 'new', text: line.slice(1) };
    if (/^-(?!-- )/.test(line)) return { kind: 'gone', text: line.slice(1) };
    return { kind: 'same', text: line };
  });

export function Held({ block }: { block: HeldBlock }) {
  const t = useTexts();
  const { session } = useConversation();
  if (block.over || !session.held) return <Line at={block.at}>{t.conversation.held.was}</Line>;
  return (
    <Notice
      tone="warn"
      title={t.conversation.held[block.why]}
      actions={
        <Action variant="primary" act={() => client.resume({ params: { id: session.id } })}>
          {t.common.actions.resume}
        </Action>
      }
    >
      {t.conversation.held.kept}
    </Notice>
  );
}

export function Status({ block }: { block: StatusBlock }) {
  const t = useTexts();
  const { session } = useConversation();
  const words = t.conversation.status;
  if (block.reason === 'reopened') return <Line at={block.at}>{words.reopened}</Line>;
  const isNow = !block.over && session.status === block.to;
  if (block.to === 'ERROR') {
    return (
      <Notice
        tone={isNow ? 'bad' : 'info'}
        title={words.ERROR}
        {...(isNow && {
          actions: (
            <Action variant="primary" act={() => client.retry({ params: { id: session.id } })}>
              {t.common.actions.retry}
            </Action>
          ),
        })}
      >
        {block.error}
      </Notice>
    );
  }
  const revives = block.reason === 'idle' || block.reason === 'orphan';
  const title = revives
    ? words[block.reason as 'idle' | 'orphan']
    : words[block.to as 'COMPLETED' | 'TERMINATED'];
  // The button that reopens the session is below, in place of the composer.
  return isNow ? <Notice tone="info" title={title} /> : <Line at={block.at}>{title}</Line>;
}

export const EventNote = ({ block }: { block: NoteBlock }) => (
  <Line at={block.at}>{noteOf(block.event, useStore(language))}</Line>
);

export const NoticeRow = ({ block }: { block: NoticeBlock }) => (
  <p className="flex gap-2 px-1 text-dense text-soft">
    <Info size={14} className="mt-0.5 shrink-0" aria-hidden />
    <span className="min-w-0 whitespace-pre-wrap">{block.text}</span>
  </p>
);

export function Limit({ block }: { block: LimitBlock }) {
  const t = useTexts();
  const Icon = block.rejected ? CircleAlert : Gauge;
  return (
    <p className="flex gap-2 px-1 text-dense text-soft">
      <Icon size={14} className="mt-0.5 shrink-0 text-warn" aria-hidden />
      <span>
        {block.rejected ? t.conversation.limitReached : t.conversation.limitNear}
        {block.resetsAt !== null && (
          <>
            {' '}
            {t.conversation.limitResets} <Ago at={block.resetsAt} />
          </>
        )}
      </span>
    </p>
  );
}
