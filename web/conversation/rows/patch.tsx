import { DiffView } from '../../parts/diff-view.tsx';
import type { DiffLine } from '../../parts/line-diff.ts';
import { useTexts } from '../../texts/texts.ts';

/** A patch in git’s format. */
export function Patch({ text }: { text: string }) {
  const t = useTexts();
  return <DiffView lines={linesOf(text)} label={t.conversation.output} />;
}

const linesOf = (text: string): DiffLine[] =>
  text.split('\n').map((line) => {
    if (/^\+(?!\+\+ )/.test(line)) return { kind: 'new', text: line.slice(1) };
    if (/^-(?!-- )/.test(line)) return { kind: 'gone', text: line.slice(1) };
    return { kind: 'same', text: line };
  });
