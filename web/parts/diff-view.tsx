import { useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import type { DiffLine } from './line-diff.ts';

/** Lines beyond this are shown on demand. */
export const LINES_SHOWN = 120;

const STYLES: Record<DiffLine['kind'], readonly [sign: string, style: string]> = {
  same: [' ', ''],
  gone: ['-', 'bg-bad-soft'],
  new: ['+', 'bg-good-soft'],
};

/** Removed and added lines, marked by sign and colour. */
export function DiffView({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const t = useTexts();
  const [whole, setWhole] = useState(false);
  const shown = whole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    <>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="max-h-[50vh] overflow-auto rounded border border-edge bg-paper py-1 font-mono text-xs leading-relaxed"
      >
        <DiffLines lines={shown} />
      </section>
      {shown.length < lines.length && (
        <Button variant="quiet" size="small" className="mt-1" onClick={() => setWhole(true)}>
          {t.common.allLines(lines.length)}
        </Button>
      )}
    </>
  );
}

/** Long lines extend beyond the box unless they wrap. */
export const DiffLines = ({
  lines,
  wraps = false,
}: {
  lines: readonly DiffLine[];
  wraps?: boolean;
}) => (
  <div className={wraps ? '' : 'w-max min-w-full'}>
    {lines.map(({ kind, text }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff do not move
      <div key={at} className={`flex pr-3 ${STYLES[kind][1]}`}>
        <span className="w-6 shrink-0 text-center text-soft select-none">{STYLES[kind][0]}</span>
        <span className={wraps ? 'min-w-0 whitespace-pre-wrap' : 'whitespace-pre'}>
          {text === '' ? ' ' : text}
        </span>
      </div>
    ))}
  </div>
);
