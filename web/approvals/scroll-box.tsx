import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly label: string;
  readonly className?: string;
  /** The box does not contain everything yet. */
  readonly isCut?: boolean;
  readonly children: ReactNode;
}

/**
 * Marks content whose end has not come into view yet. Until then, shortcut keys cannot answer the
 * question (decide.tsx).
 */
export const UNSEEN = '[data-unseen]';

/**
 * A scrolling box for long text. The box says how much is hidden, because scroll bars are not
 * always visible.
 */
export function ScrollBox({ label, className = '', isCut = false, children }: Props) {
  const t = useTexts();
  const box = useRef<HTMLElement>(null);
  const { scrolls, linesBelow, wasSeen } = useScrolled(box, isCut);
  const onward = (): void => {
    const { current } = box;
    if (current === null) return;
    current.scrollBy({ top: current.clientHeight * 0.8 });
    current.focus({ preventScroll: true });
  };
  return (
    <>
      <section
        ref={box}
        aria-label={label}
        // Scrollable content must be reachable by keyboard.
        tabIndex={scrolls ? 0 : -1}
        data-unseen={wasSeen ? undefined : ''}
        className={`max-h-[40vh] overflow-auto ${className}`}
      >
        {children}
        <div data-end className="h-px" />
      </section>
      {scrolls && (linesBelow > 0 || !isCut) && (
        <button
          type="button"
          disabled={linesBelow === 0}
          onClick={onward}
          className="mt-1 flex min-h-7 items-center gap-1 text-left text-dense text-warn disabled:text-soft max-md:min-h-11 max-md:min-w-11"
        >
          {linesBelow > 0 && <ArrowDown size={14} className="shrink-0" aria-hidden />}
          {linesBelow > 0 ? t.approvals.moreBelow(linesBelow) : t.approvals.shownToEnd}
        </button>
      )}
    </>
  );
}

/** How much of a box is below the visible part, and whether its end has ever come into view. */
function useScrolled(box: { readonly current: HTMLElement | null }, isCut: boolean) {
  const [at, setAt] = useState({ scrolls: false, linesBelow: 0 });
  const [wasSeen, setWasSeen] = useState(false);
  useEffect(() => {
    const { current } = box;
    const end = current?.querySelector('[data-end]') ?? null;
    if (current === null || end === null) return;
    const measure = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = current;
      const below = scrollHeight - scrollTop - clientHeight;
      const line = Number.parseFloat(getComputedStyle(current).lineHeight) || 20;
      setAt({
        scrolls: scrollHeight - clientHeight > SLACK,
        linesBelow: below > SLACK ? Math.max(1, Math.round(below / line)) : 0,
      });
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(current);
    for (const child of current.children) sizes.observe(child);
    const sight = new IntersectionObserver((seen) => {
      if (!isCut && seen.some(({ isIntersecting }) => isIntersecting)) setWasSeen(true);
    });
    sight.observe(end);
    current.addEventListener('scroll', measure, { passive: true });
    return () => {
      sizes.disconnect();
      sight.disconnect();
      current.removeEventListener('scroll', measure);
    };
  }, [box, isCut]);
  return { ...at, wasSeen };
}

/** Ignores fractions of pixels. */
const SLACK = 4;
