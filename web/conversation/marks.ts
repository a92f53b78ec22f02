import { type RefObject, useEffect } from 'react';

const NAME = 'search';

/** Marks a text wherever it stands in a part of the page, without changing the page. */
export function useMarks(part: RefObject<HTMLElement | null>, wanted: string): void {
  const text = wanted.trim().toLowerCase();
  // After every render: rows come and go while somebody scrolls.
  useEffect(() => {
    if (!('highlights' in CSS)) return;
    if (text === '' || part.current === null) CSS.highlights.delete(NAME);
    else CSS.highlights.set(NAME, new Highlight(...rangesOf(part.current, text)));
  });
  useEffect(() => () => void ('highlights' in CSS && CSS.highlights.delete(NAME)), []);
}

function rangesOf(part: HTMLElement, text: string): Range[] {
  const found: Range[] = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const whole = (node.nodeValue ?? '').toLowerCase();
    for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + text.length)) {
      if (at + text.length > (node.nodeValue ?? '').length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      found.push(range);
    }
  }
  return found;
}
