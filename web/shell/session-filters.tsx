import { ListFilter, Search } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { SESSION_NAME_MAX } from '../../src/contract/limits.ts';
import { firstCharacters } from '../../src/contract/values/characters.ts';
import type { SessionFilter } from '../api/queries.ts';
import { IconButton } from '../parts/button.tsx';
import { INPUT } from '../parts/field.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTexts } from '../texts/texts.ts';
import type { Part } from './more-filters.tsx';

const MoreFilters = lazyPart(() => import('./more-filters.tsx'), 'MoreFilters');

interface Props {
  readonly filter: SessionFilter;
  readonly onChange: (filter: SessionFilter) => void;
}

export function SessionFilters({ filter, onChange }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const wanted = useDeferredValue(firstCharacters(name.trim(), SESSION_NAME_MAX));
  const { name: searched, ...others } = filter;
  const count = Object.values(others).filter((value) => value !== undefined).length;
  const set = (part: Part): void => {
    const next = { ...filter, ...part };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the typed text changes it
  useEffect(() => set({ name: wanted === '' ? undefined : wanted }), [wanted]);
  // The filters were cleared elsewhere.
  useEffect(() => {
    if (searched === undefined) setName((typed) => (typed.trim() === '' ? typed : ''));
  }, [searched]);
  return (
    <search className="block px-3 pt-2 pb-1">
      <div className="flex gap-1">
        <div className="relative grow">
          <Search
            size={14}
            className="absolute top-1/2 left-2 -translate-y-1/2 text-soft"
            aria-hidden
          />
          <input
            id="session-search"
            type="search"
            value={name}
            onChange={(event) => setName(event.target.value)}
            placeholder={t.shell.search}
            aria-label={t.shell.search}
            className={`${INPUT} pl-7!`}
          />
        </div>
        <IconButton
          label={count === 0 ? t.shell.filters : t.shell.filtersOn(count)}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          onPointerEnter={MoreFilters.preload}
          className={count === 0 ? '' : 'text-accent!'}
        >
          <ListFilter size={16} />
        </IconButton>
      </div>
      {open && <MoreFilters filter={filter} set={set} count={count} />}
    </search>
  );
}
