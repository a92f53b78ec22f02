import { Brain, ChevronRight } from 'lucide-react';
import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { TextBlock, ThinkingBlock } from '../log/blocks.ts';
import { useOpenRow } from './open-rows.ts';
import { Output } from './output.tsx';
import { Shortened } from './shortened.tsx';

/** Agent text: command output is shown verbatim, anything else as Markdown. */
export function AgentText({ block }: { block: TextBlock }) {
  const { session } = useConversation();
  return (
    <div aria-busy={block.live}>
      {block.truncated && <Shortened block={block} />}
      {takesCommands(session.agent) ? (
        <Output text={block.text} keep="end" isWhole={!block.truncated} />
      ) : (
        <Markdown text={block.text} live={block.live} />
      )}
    </div>
  );
}

/** Thinking: one grey line that expands. */
export function Thought({ block }: { block: ThinkingBlock }) {
  const t = useTexts();
  const [open, toggle] = useOpenRow(`thought-${block.runId}-${block.id}`);
  return (
    <div className="text-soft">
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex min-h-7 w-full items-center gap-2 rounded px-1 text-left text-dense hover:bg-raised max-md:min-h-11"
      >
        <Brain size={14} className="shrink-0" aria-hidden />
        <span className="shrink-0">{t.conversation.thinking}</span>
        <span className="min-w-0 grow truncate italic">{open ? '' : block.text.slice(0, 200)}</span>
        <ChevronRight
          size={14}
          className={`shrink-0 transition-transform ${open ? 'rotate-90' : ''}`}
          aria-hidden
        />
      </button>
      {open && (
        <div className="border-l-2 border-edge pl-3 text-dense">
          <Markdown text={block.text} />
        </div>
      )}
    </div>
  );
}
