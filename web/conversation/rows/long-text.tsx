import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useTexts } from '../../texts/texts.ts';

/** How many characters are shown until the user asks for the rest. */
const SHOWN = 4000;

interface Props {
  readonly text: string;
  /** Which part of a long text is shown. */
  readonly keep: 'start' | 'end';
  /** False if the text is already the end of a longer text. */
  readonly isWhole?: boolean;
  readonly children: (shown: string) => ReactNode;
}

/** Text that is shortened until the user asks for the rest. */
export function LongText({ text, keep, isWhole = true, children }: Props) {
  const t = useTexts();
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN * 1.5;
  const shown = !isLong || whole ? text : keep === 'start' ? text.slice(0, SHOWN) : tailOf(text);
  const label = isWhole ? t.conversation.showAll : t.conversation.showLast;
  const more = isLong && (
    <Button
      variant="quiet"
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

/** The end of the text, starting after a line break. */
const tailOf = (text: string): string => {
  const tail = text.slice(-SHOWN);
  return tail.slice(tail.indexOf('\n') + 1);
};
