import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { LogView } from '../log/log.ts';
import { type Row, rowOfEvent } from '../log/rows.ts';
import { useHighlights } from '../search/highlights.ts';
import { moveAmongRows, rowAt } from './row-keys.ts';
import { RowView } from './row-view.tsx';
import { useFollowing } from './use-following.ts';

interface Props {
  readonly view: LogView;
  readonly onOlder: () => void;
  /** An event to scroll to; passing a new object scrolls again. */
  readonly target: { readonly seq: number } | null;
  /** Number of messages sent from here; an increase scrolls to the end. */
  readonly sent: number;
  /** Shown after the last row. */
  readonly children: ReactNode;
}

/** Older rows are loaded when the view is this close to the first row. */
const EARLY = 8;
/** Estimated heights, used until a row has been measured. */
const HEIGHTS: Partial<Record<Row['kind'], number>> = { text: 120, start: 80, tool: 30, fold: 30 };

/**
 * The rows of a conversation; only visible ones are rendered. The view stays at the bottom until the
 * user scrolls up.
 */
export function Timeline({ view, onOlder, target, sent, children }: Props) {
  const t = useTexts();
  const { rows, runs, older } = view;
  const isLive = view.state === 'live';
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const tail = useRef<HTMLDivElement>(null);
  const { highlighted } = useConversation();
  useHighlights(scroller, highlighted);
  const { following, isOn: atEnd, set: follow } = useFollowing(scroller);
  const [focused, setFocused] = useState<string | null>(null);
  const [seenSeq, setSeenSeq] = useState(0);
  const getItemKey = useCallback((index: number) => rows[index]!.id, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]!.kind] ?? 40,
    getItemKey,
    gap: 12,
    overscan: 6,
    // Rendering and painting the rows become two tasks instead of one long one.
    useFlushSync: false,
    paddingStart: 16,
    paddingEnd: 12,
    anchorTo: 'end',
    followOnAppend: true,
  });

  // Keep the end in view when the window, the rows or the content after them change height.
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      if (following.isOn) virtual.scrollToEnd();
    });
    for (const part of [scroller, list, tail])
      if (part.current !== null) watch.observe(part.current);
    return () => watch.disconnect();
  }, [virtual, following]);

  const isEmpty = rows.length === 0;
  // Start at the last message.
  useEffect(() => {
    if (!isEmpty) virtual.scrollToEnd();
  }, [isEmpty, virtual]);

  const toEnd = useCallback(() => {
    follow(true);
    virtual.scrollToEnd();
  }, [follow, virtual]);
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent, toEnd]);

  const first = virtual.range?.startIndex ?? 0;
  useEffect(() => {
    if (!isEmpty && isLive && older === 'some' && first < EARLY) onOlder();
  }, [isEmpty, isLive, older, first, onOlder]);

  const reached = useRef<Props['target']>(null);
  useEffect(() => {
    if (target === null || target === reached.current) return;
    const isThere = older === 'none' || (rows[0]?.seq ?? target.seq + 1) <= target.seq;
    if (!isThere) return;
    reached.current = target;
    follow(false);
    virtual.scrollToIndex(rowOfEvent(rows, target.seq), { align: 'center' });
  }, [target, rows, older, virtual, follow]);

  const last = rows.at(-1)?.seq ?? 0;
  useEffect(() => {
    if (atEnd) setSeenSeq(last);
  }, [atEnd, last]);

  const items = virtual.getVirtualItems();
  // The row last focused, or else the last row.
  const tabbed = items.find(({ key }) => key === focused)?.key ?? items.at(-1)?.key;
  const shown = target === null ? -1 : rowOfEvent(rows, target.seq);
  return (
    <div className="relative min-h-0 shrink-0 grow basis-20">
      <div
        ref={scroller}
        role="log"
        aria-label={t.conversation.log}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        onKeyDown={moveAmongRows}
        onFocus={({ target: at }) => setFocused(rows[rowAt(at)]?.id ?? null)}
        className="h-full overflow-x-hidden overflow-y-auto overscroll-contain [overflow-anchor:none]"
      >
        <div
          ref={list}
          className="relative mx-auto max-w-[820px]"
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map((item) => {
            const row = rows[item.index]!;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-seq={row.seq}
                className="absolute top-0 left-0 w-full px-10 max-md:px-4"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div
                  className={
                    item.index === shown
                      ? 'rounded ring-2 ring-accent ring-offset-4 ring-offset-paper'
                      : ''
                  }
                >
                  <RowView
                    row={row}
                    tabbed={item.key === tabbed}
                    info={'runId' in row && row.runId !== null ? runs.get(row.runId) : undefined}
                  />
                </div>
              </div>
            );
          })}
        </div>
        <div ref={tail} className="mx-auto max-w-[820px] px-10 pb-4 max-md:px-4">
          {children}
        </div>
      </div>
      {!atEnd && (
        <Button
          variant={last > seenSeq ? 'primary' : 'plain'}
          className="absolute! bottom-3 left-1/2 -translate-x-1/2 shadow-float"
          onClick={toEnd}
        >
          <ArrowDown size={16} aria-hidden />
          {last > seenSeq ? t.conversation.newMessages : t.conversation.jumpToLatest}
        </Button>
      )}
    </div>
  );
}
