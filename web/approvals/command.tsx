import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import { useTexts } from '../texts/texts.ts';
import { type CommandView, viewOf } from './risk.ts';
import { ScrollBox } from './scroll-box.tsx';

interface Props {
  readonly command: string;
  /** Whether to highlight risks; not needed once the question is answered. */
  readonly warns: boolean;
}

/** A command with its risky parts highlighted. */
export function Command({ command, warns }: Props) {
  const t = useTexts();
  const shown = spellOutUnseen(command);
  const { parts, risks, isChecked } = viewOf(shown);
  return (
    <>
      <ScrollBox label={t.approvals.did.command} className={CODE_BOX}>
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a command do not move
          <Part key={at} part={part} warns={warns} />
        ))}
      </ScrollBox>
      {warns && risks.length > 0 && (
        <Warning>
          {t.approvals.risks} {risks.map((risk) => t.approvals.risk[risk]).join(' · ')}
        </Warning>
      )}
      {warns && !isChecked && (
        <Warning>{t.approvals.unchecked(shown.split('\n').length, shown.length)}</Warning>
      )}
    </>
  );
}

export const CODE_BOX =
  'rounded border border-edge bg-paper px-3 py-2 font-mono text-dense whitespace-pre-wrap';

function Part({ part, warns }: { part: CommandView['parts'][number]; warns: boolean }) {
  const t = useTexts();
  if ('blankLines' in part) {
    return (
      <span className="my-1 block border-y border-dashed border-line font-sans text-xs text-soft">
        {t.approvals.blankLines(part.blankLines)}
      </span>
    );
  }
  if (part.risk === null || !warns) return part.text;
  return (
    <mark
      title={t.approvals.risk[part.risk]}
      className="rounded bg-warn-soft font-semibold text-warn underline decoration-wavy decoration-1 underline-offset-4"
    >
      {part.text}
    </mark>
  );
}

const Warning = ({ children }: { children: ReactNode }) => (
  <p className="mt-1.5 flex items-center gap-1.5 text-dense text-warn">
    <TriangleAlert size={14} className="shrink-0" aria-hidden />
    <span>{children}</span>
  </p>
);
