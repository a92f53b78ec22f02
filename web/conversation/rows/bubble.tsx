import type { ReactNode } from 'react';
import { spellOutUnseen } from '../../../src/client/spell-out-unseen.ts';
import { LongText } from './long-text.tsx';

interface Props {
  readonly text: string;
  /** Whether to show the message as a command. */
  readonly mono: boolean;
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly faint?: boolean;
}

/** A message from a user. */
export function Bubble({ text, mono, above, below, faint = false }: Props) {
  return (
    <div className="flex flex-col items-end gap-1 pl-12 max-md:pl-6">
      {above !== undefined && <div className="text-xs text-soft">{above}</div>}
      <div
        className={`max-w-full rounded bg-raised px-3 py-2 whitespace-pre-wrap ${mono ? 'font-mono text-dense' : ''} ${faint ? 'text-soft' : ''}`}
      >
        <LongText text={text} keep="start">
          {(shown) => (mono ? spellOutUnseen(shown) : shown)}
        </LongText>
      </div>
      {below !== undefined && (
        <div className="flex flex-wrap items-center justify-end gap-2 text-xs text-soft">
          {below}
        </div>
      )}
    </div>
  );
}
