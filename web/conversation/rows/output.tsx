import { CopyButton } from '../../parts/copy-button.tsx';
import { LongText } from './long-text.tsx';
import { plainOutput } from './plain-output.ts';

interface Props {
  readonly text: string;
  readonly bad?: boolean;
  readonly keep?: 'start' | 'end';
  readonly isWhole?: boolean;
}

/** Output of a command or tool. */
export function Output({ text, bad = false, keep = 'start', isWhole = true }: Props) {
  return (
    <LongText text={plainOutput(text)} keep={keep} isWhole={isWhole}>
      {(shown) => (
        <div className="group/output relative">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
            tabIndex={0}
            className={`overflow-x-auto rounded border bg-raised px-3 py-2 font-mono text-dense whitespace-pre max-md:min-h-12 max-md:pr-12 ${bad ? 'border-bad' : 'border-edge'}`}
          >
            {shown}
          </pre>
          <CopyButton
            text={text}
            className="absolute! top-0.5 right-0.5 bg-raised opacity-0 group-focus-within/output:opacity-100 group-hover/output:opacity-100 max-md:opacity-100"
          />
        </div>
      )}
    </LongText>
  );
}
