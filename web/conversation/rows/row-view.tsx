import { Link as LinkIcon } from 'lucide-react';
import { memo } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useTexts } from '../../texts/texts.ts';
import type { Row } from '../log/rows.ts';
import type { RunInfo } from '../log/run-cache.ts';
import { AgentText, Thought } from './agent-text.tsx';
import {
  Changed,
  CutOff,
  EventNote,
  Held,
  Limit,
  NoticeRow,
  Retry,
  Status,
} from './event-rows.tsx';
import { Line } from './line.tsx';
import { RowGuard } from './row-guard.tsx';
import { RunEnd } from './run-end.tsx';
import { RunStart, Steered } from './run-start.tsx';
import { Fold, ToolCard } from './tool-card.tsx';

interface Props {
  readonly row: Row;
  /** Facts about the run that the row belongs to. */
  readonly info: RunInfo | null | undefined;
  /** Whether the row's buttons are in the tab order; true for one row at a time. */
  readonly tabbed: boolean;
}

/** One row, with a link to itself. */
export const RowView = memo(function RowView({ row, info, tabbed }: Props) {
  const t = useTexts();
  const tabIndex = tabbed ? 0 : -1;
  return (
    <div className="group/row relative">
      <RowGuard fallback={<p className="text-dense text-soft">{t.conversation.unshowable}</p>}>
        <Inside row={row} info={info} />
      </RowGuard>
      <div
        data-row-tools
        className="absolute -top-0.5 -right-9 flex flex-col opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 max-md:hidden"
      >
        <CopyButton
          tabIndex={tabIndex}
          label={t.conversation.link}
          icon={<LinkIcon size={14} />}
          text={() => `${location.origin}${location.pathname}?event=${row.seq}`}
        />
        {row.kind === 'text' && !row.live && (
          <CopyButton tabIndex={tabIndex} label={t.conversation.copyText} text={row.text} />
        )}
      </div>
    </div>
  );
});

function Inside({ row, info }: Omit<Props, 'tabbed'>) {
  const t = useTexts();
  switch (row.kind) {
    case 'start':
      return <RunStart block={row} info={info} />;
    case 'text':
      return <AgentText block={row} />;
    case 'thinking':
      return <Thought block={row} />;
    case 'tool':
      return <ToolCard call={row} />;
    case 'fold':
      return <Fold row={row} />;
    case 'notice':
      return <NoticeRow block={row} />;
    case 'limit':
      return <Limit block={row} />;
    case 'steered':
      return <Steered block={row} />;
    case 'attempt':
      return <Line at={row.at}>{t.conversation.attempt(row.attempt)}</Line>;
    case 'retry':
      return <Retry block={row} />;
    case 'cutOff':
      return <CutOff block={row} />;
    case 'diff':
      return <Changed block={row} />;
    case 'held':
      return <Held block={row} />;
    case 'end':
      return <RunEnd block={row} info={info} />;
    case 'dropped':
      return <Line at={row.at}>{t.conversation.dropped}</Line>;
    case 'status':
      return <Status block={row} />;
    case 'note':
      return <EventNote block={row} />;
  }
}
