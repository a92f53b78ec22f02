import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useTexts } from '../../texts/texts.ts';

/** So many characters are shown until somebody asks for all of them. */
const SHOWN = 4000;

interface Props {
  readonly text: string;
  /** Which part is shown of a long one. */
  readonly keep: 'start' | 'end';
  /** False if it is itself the end of a longer one. */
  readonly isWhole?: boolean;
  readonly children: (shown: string) => ReactNode;
}

/** A text that may be long: cut until somebody asks for the rest. */
export function LongText({ text, keep, isWhole = true, children }: Props) {
  const t = useTexts();
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN * 1.5;
  const shown = !isLong || whole ? text : keep === 'start' ? text.slice(0, SHOWN) : tailOf(text);
  const label = isWhole ? t.conversation.showAll : t.conversation.showLast;
  const more = isLong && (
    <Button
      look="quiet"
      size="small"
      className="my-1 max-md:min-h-11"
      onClick={() => setWhole(!whole)}
    >
      {whole ? t.conversation.showLess : label(text.length)}
    </Button>
  );
  return (
    <>
      {keep === 'end' && more}
      {children(shown)}
      {keep === 'start' && more}
    </>
  );
}

/** Whole lines. */
const tailOf = (text: string): string => {
  const tail = text.slice(-SHOWN);
  return tail.slice(tail.indexOf('\n') + 1);
};
