import { ListFilter, Search } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { SessionStatus } from '../../src/contract/session.ts';
import type { SessionFilter } from '../api/queries.ts';
import { IconButton } from '../parts/button.tsx';
import { INPUT } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly filter: SessionFilter;
  readonly onChange: (filter: SessionFilter) => void;
}

export function SessionFilters({ filter, onChange }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const wanted = useDeferredValue(name.trim().slice(0, 50));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes it
  useEffect(() => {
    const { name: _, ...rest } = filter;
    onChange(wanted === '' ? rest : { ...rest, name: wanted });
  }, [wanted]);
  const set = (part: { [K in keyof SessionFilter]?: SessionFilter[K] | undefined }): void => {
    const next = { ...filter, ...part };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)));
  };
  return (
    <div className="px-3 pt-2 pb-1">
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
        <IconButton label={t.shell.filters} aria-expanded={open} onClick={() => setOpen(!open)}>
          <ListFilter size={16} />
        </IconButton>
      </div>
      {open && (
        <div className="mt-1.5 flex flex-col gap-1.5 text-dense">
          <select
            aria-label={t.shell.allStatuses}
            className={INPUT}
            value={filter.status ?? ''}
            onChange={({ target }) => set({ status: SessionStatus.safeParse(target.value).data })}
          >
            <option value="">{t.shell.allStatuses}</option>
            {SessionStatus.options.map((status) => (
              <option key={status} value={status}>
                {t.common.status[status]}
              </option>
            ))}
          </select>
          <input
            className={INPUT}
            aria-label={t.shell.tag}
            placeholder={t.shell.allTags}
            maxLength={20}
            onChange={({ target }) => set({ tag: target.value.trim() || undefined })}
          />
          <label className="flex items-center gap-2 py-1">
            <input
              type="checkbox"
              checked={filter.archived === true}
              onChange={({ target }) => set({ archived: target.checked || undefined })}
            />
            {t.shell.archived}
          </label>
        </div>
      )}
    </div>
  );
}
