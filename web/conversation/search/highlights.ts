import { type RefObject, useEffect } from 'react';
import type { Highlighted } from '../context.ts';

const NAME = 'search';

/** Highlights the search term in matching rows without changing the page. */
export function useHighlights(
  part: RefObject<HTMLElement | null>,
  highlighted: Highlighted | null,
): void {
  // Runs after every render, because rows come and go while scrolling.
  useEffect(() => {
    if (!('highlights' in CSS)) return;
    if (highlighted === null || part.current === null) {
      CSS.highlights.delete(NAME);
      return;
    }
    const rows = [...part.current.querySelectorAll<HTMLElement>('[data-seq]')].filter((row) =>
      highlighted.seqs.has(Number(row.dataset['seq'])),
    );
    const ranges = rows.flatMap((row) => rangesOf(row, highlighted.text.trim().toLowerCase()));
    CSS.highlights.set(NAME, new Highlight(...ranges));
  });
  useEffect(() => () => void ('highlights' in CSS && CSS.highlights.delete(NAME)), []);
}

function rangesOf(part: HTMLElement, text: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const whole = (node.nodeValue ?? '').toLowerCase();
    for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + text.length)) {
      if (at + text.length > (node.nodeValue ?? '').length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}
