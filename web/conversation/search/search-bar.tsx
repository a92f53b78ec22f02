import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { isComposing } from '../../parts/composing.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Highlighted } from '../context.ts';
import type { LogView } from '../log/log.ts';
import { matchesOf, stepTo } from './search.ts';

interface Props {
  readonly view: LogView;
  readonly onHighlight: (query: Highlighted) => void;
  readonly onShow: (seq: number) => void;
  readonly onClose: () => void;
}

/** Searches the whole conversation, including parts that are not loaded. */
export function SearchBar({ view, onHighlight, onShow, onClose }: Props) {
  const t = useTexts();
  const [text, setText] = useState('');
  const [shown, setShown] = useState<number | null>(null);
  const { rows, runs, older } = useDeferredValue(view);
  const query = useDeferredValue(text);
  const matches = useMemo(() => matchesOf(rows, runs, query), [rows, runs, query]);
  const at = shown === null ? -1 : matches.indexOf(shown);
  useEffect(() => {
    onHighlight({ text: query, seqs: new Set(matches) });
  }, [query, matches, onHighlight]);
  const step = (by: 1 | -1): void => {
    const next = stepTo(matches, shown, by);
    setShown(next);
    if (next !== null) onShow(next);
  };
  return (
    <search className="flex items-center gap-1 border-b border-edge bg-panel px-3 py-1">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user opened it to type
        autoFocus
        type="search"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setShown(null);
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter') step(event.shiftKey || shown === null ? -1 : 1);
        }}
        placeholder={t.conversation.search}
        aria-label={t.conversation.search}
        className="min-h-8 min-w-0 grow rounded border border-line bg-paper px-2 max-md:min-h-11"
      />
      <span role="status" className="figures shrink-0 text-xs text-soft">
        {older !== 'none'
          ? t.common.loading
          : query === ''
            ? ''
            : matches.length === 0
              ? t.conversation.searchNone
              : t.conversation.searchCount(at + 1, matches.length)}
      </span>
      <IconButton label={t.conversation.searchPrevious} onClick={() => step(-1)}>
        <ChevronUp size={16} />
      </IconButton>
      <IconButton label={t.conversation.searchNext} onClick={() => step(1)}>
        <ChevronDown size={16} />
      </IconButton>
      <IconButton label={t.conversation.searchClose} onClick={onClose}>
        <X size={16} />
      </IconButton>
    </search>
  );
}
