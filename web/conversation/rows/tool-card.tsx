import {
  Ban,
  Bot,
  ChevronRight,
  CircleX,
  FilePen,
  FilePlus,
  FileText,
  Globe,
  Hand,
  ListTodo,
  type LucideIcon,
  Search,
  Terminal,
  Wrench,
} from 'lucide-react';
import { lazyPart } from '../../parts/lazy-part.ts';
import { duration } from '../../parts/time.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { ToolBlock } from '../log/blocks.ts';
import type { FoldRow } from '../log/rows.ts';
import { InPlace } from './approval-in-place.tsx';
import { useOpenRow } from './open-rows.ts';
import { stateOf, summaryOf, type ToolState, tookMs, type Verb } from './tool-summary.ts';

const ToolBody = lazyPart(() => import('./tool-body.tsx'), 'ToolBody');

const ICONS: Record<Verb, LucideIcon> = {
  run: Terminal,
  read: FileText,
  write: FilePlus,
  edit: FilePen,
  find: Search,
  fetch: Globe,
  searchWeb: Globe,
  delegate: Bot,
  plan: ListTodo,
};

/** Durations shorter than this are not shown. */
const WORTH_MS = 100;

/** States shown without expanding the card. */
const LOUD: Partial<Record<ToolState, readonly [LucideIcon, string]>> = {
  asked: [Hand, 'text-warn'],
  failed: [CircleX, 'text-bad'],
  denied: [Ban, 'text-bad'],
  refused: [Ban, 'text-bad'],
};

/**
 * A tool call: one line that expands. While the call waits for an answer, the question is shown
 * below.
 */
export function ToolCard({ call }: { call: ToolBlock }) {
  const t = useTexts();
  const { session } = useConversation();
  const [open, toggle] = useOpenRow(call.callId);
  const { verb, name, target } = summaryOf(call.tool, call.input, session.workspace.path);
  const Icon = verb === null ? Wrench : ICONS[verb];
  const state = stateOf(call);
  const took = tookMs(call);
  return (
    <div className={call.parent === null ? '' : 'ml-5'}>
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        onPointerEnter={ToolBody.preload}
        onFocus={ToolBody.preload}
        className="flex min-h-7 w-full items-center gap-2 rounded px-1 text-left text-dense hover:bg-raised max-md:min-h-11"
      >
        <Icon size={14} className="shrink-0 text-soft" aria-hidden />
        <span className="shrink-0 font-medium">
          {verb === null ? name : t.conversation.tools[verb]}
        </span>
        <span className="min-w-0 grow truncate font-mono text-soft">{target}</span>
        {took !== null && took >= WORTH_MS && (
          <span className="figures shrink-0 text-xs text-soft">{duration(took)}</span>
        )}
        <State state={state} />
        <ChevronRight
          size={14}
          className={`shrink-0 text-soft transition-transform ${open ? 'rotate-90' : ''}`}
          aria-hidden
        />
      </button>
      {open && <ToolBody call={call} />}
      {call.asking !== null && <InPlace asking={call.asking} />}
    </div>
  );
}

function State({ state }: { state: ToolState }) {
  const t = useTexts();
  const loud = LOUD[state];
  const word = t.conversation.toolState[state];
  if (state === 'ok') return <span className="sr-only">{word}</span>;
  if (state === 'running') {
    return (
      <span
        role="img"
        aria-label={word}
        title={word}
        className="size-2 shrink-0 animate-beat rounded-full bg-accent"
      />
    );
  }
  const [Icon, ink] = loud ?? [CircleX, 'text-soft'];
  return (
    <span className={`flex shrink-0 items-center gap-1 text-xs ${ink}`}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  );
}

/** Many read-only calls, shown as one line. */
export function Fold({ row }: { row: FoldRow }) {
  const t = useTexts();
  const { session } = useConversation();
  const [open, toggle] = useOpenRow(`${session.id}-${row.id}`);
  const isRead = row.tools.every(({ tool }) => tool === 'Read');
  const count = row.tools.length;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex min-h-7 w-full items-center gap-2 rounded px-1 text-left text-dense hover:bg-raised max-md:min-h-11"
      >
        {isRead ? (
          <FileText size={14} className="shrink-0 text-soft" aria-hidden />
        ) : (
          <Search size={14} className="shrink-0 text-soft" aria-hidden />
        )}
        <span className="grow font-medium">
          {isRead ? t.conversation.readMany(count) : t.conversation.readOrSearchedMany(count)}
        </span>
        <ChevronRight
          size={14}
          className={`shrink-0 text-soft transition-transform ${open ? 'rotate-90' : ''}`}
          aria-hidden
        />
      </button>
      {open && (
        <div className="ml-5">
          {row.tools.map((call) => (
            <ToolCard key={call.id} call={call} />
          ))}
        </div>
      )}
    </div>
  );
}
