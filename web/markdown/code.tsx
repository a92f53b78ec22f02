import { memo, type ReactNode, useMemo } from 'react';
import { spellOutUnseen, spellOutUnseenInProse } from '../../src/client/spell-out-unseen.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useStore } from '../state/store.ts';
import { highlight, languages, type Piece } from './highlight.ts';

const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/^(comment|quote|deletion)/, 'text-code-comment'],
  [/^(keyword|literal|built_in|type|tag|selector-tag|section)/, 'text-code-word'],
  [/^(string|regexp|addition|symbol|link)/, 'text-code-string'],
  [/^(number|meta|attribute|variable)/, 'text-code-number'],
  [/^(title|name|attr|property|function|class|selector)/, 'text-code-name'],
];

const colourOf = (scope: string | null): string | undefined =>
  scope === null ? undefined : COLOURS.find(([scopes]) => scopes.test(scope))?.[1];

function nodesOf({ children }: Piece): ReactNode[] {
  return children.map((child, at) =>
    typeof child === 'string' ? (
      child
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of code do not move
      <span key={at} className={colourOf(child.scope)}>
        {nodesOf(child)}
      </span>
    ),
  );
}

/** Highlighted code, once its language has loaded. */
export function Coloured({ code, language }: { code: string; language: string | null }) {
  const version = useStore(languages);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a language may have loaded
  const tree = useMemo(() => highlight(code, language), [code, language, version]);
  return tree === null ? code : nodesOf(tree);
}

interface Props {
  readonly code: string;
  readonly language: string | null;
  /**
   * In commands, every unusual character is spelled out; in other code, only those that hide
   * something.
   */
  readonly isCommand?: boolean;
}

/** A code block with a copy button, which copies the code as it is. */
export const Code = memo(function Code({ code, language, isCommand = language === 'bash' }: Props) {
  return (
    <div className="group/code relative my-2">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded border border-edge bg-raised px-3 py-2 pr-11 font-mono max-md:min-h-12 text-dense"
      >
        <code>
          <Coloured
            code={isCommand ? spellOutUnseen(code) : spellOutUnseenInProse(code)}
            language={language}
          />
        </code>
      </pre>
      <CopyButton
        text={code}
        className="absolute! top-0.5 right-0.5 bg-raised opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100 max-md:opacity-100"
      />
    </div>
  );
});
