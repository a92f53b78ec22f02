import { useState } from 'react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import { Button } from '../parts/button.tsx';
import { DiffLines, LINES_SHOWN } from '../parts/diff-view.tsx';
import type { DiffLine } from '../parts/line-diff.ts';
import { useTexts } from '../texts/texts.ts';
import { ScrollBox } from './scroll-box.tsx';

/** A change to a file. Lines wrap, so that nothing is hidden. */
export function Change({ path, lines }: { path: string; lines: readonly DiffLine[] }) {
  const t = useTexts();
  const [whole, setWhole] = useState(false);
  const shown = whole ? lines : lines.slice(0, LINES_SHOWN);
  const isCut = shown.length < lines.length;
  return (
    <>
      <p className="mb-1.5 font-mono text-dense">{spellOutUnseen(path)}</p>
      {lines.length > 0 && (
        <ScrollBox
          label={t.approvals.did.change}
          isCut={isCut}
          className="rounded border border-edge bg-paper py-1 font-mono text-xs leading-relaxed"
        >
          <DiffLines lines={shown} wraps />
        </ScrollBox>
      )}
      {isCut && (
        <Button
          variant="quiet"
          size="small"
          className="mt-1 max-md:min-h-11"
          onClick={() => setWhole(true)}
        >
          {t.common.allLines(lines.length)}
        </Button>
      )}
    </>
  );
}
