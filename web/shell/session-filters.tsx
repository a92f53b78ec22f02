import { useQuery } from '@tanstack/react-query';
import { ListFilter, Search } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import type { SessionStatus } from '../../src/contract/session.ts';
import { meQuery, type SessionFilter, userNamesQuery } from '../api/queries.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { INPUT } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly filter: SessionFilter;
  readonly onChange: (filter: SessionFilter) => void;
}

type Part = { [K in keyof SessionFilter]?: SessionFilter[K] | undefined };

export function SessionFilters({ filter, onChange }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const wanted = useDeferredValue(name.trim().slice(0, 50));
  const { name: searched, ...others } = filter;
  const count = Object.values(others).filter((value) => value !== undefined).length;
  const set = (part: Part): void => {
    const next = { ...filter, ...part };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes it
  useEffect(() => set({ name: wanted === '' ? undefined : wanted }), [wanted]);
  // Cleared from outside.
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
          className={count === 0 ? '' : 'text-accent!'}
        >
          <ListFilter size={16} />
        </IconButton>
      </div>
      {open && <Filters filter={filter} set={set} count={count} />}
    </search>
  );
}

interface FiltersProps {
  readonly filter: SessionFilter;
  readonly set: (part: Part) => void;
  readonly count: number;
}

function Filters({ filter, set, count }: FiltersProps) {
  const t = useTexts();
  const [tag, setTag] = useState(filter.tag ?? '');
  const statuses = Object.keys(t.common.status) as SessionStatus[];
  return (
    <div className="mt-1.5 flex flex-col gap-1.5 text-dense">
      <select
        aria-label={t.shell.allStatuses}
        className={INPUT}
        value={filter.status ?? ''}
        onChange={({ target }) => set({ status: statuses.find((each) => each === target.value) })}
      >
        <option value="">{t.shell.allStatuses}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t.common.status[status]}
          </option>
        ))}
      </select>
      <Owner ownerId={filter.ownerId} onChange={(ownerId) => set({ ownerId })} />
      <input
        className={INPUT}
        aria-label={t.shell.tag}
        placeholder={t.shell.allTags}
        maxLength={20}
        value={tag}
        onChange={({ target }) => {
          setTag(target.value);
          set({ tag: target.value.trim().replaceAll(/[,/]/g, '') || undefined });
        }}
      />
      <div className="flex items-center justify-between gap-2">
        <label className="flex items-center gap-2 py-1 max-md:min-h-11">
          <input
            type="checkbox"
            checked={filter.archived === true}
            onChange={({ target }) => set({ archived: target.checked || undefined })}
          />
          {t.shell.archived}
        </label>
        {count > 0 && (
          <Button
            look="quiet"
            size="small"
            onClick={() => {
              setTag('');
              set({ status: undefined, ownerId: undefined, tag: undefined, archived: undefined });
            }}
          >
            {t.shell.clearFilters}
          </Button>
        )}
      </div>
    </div>
  );
}

/** One's own, or all that one may see; administrators know everybody by name. */
function Owner(props: { ownerId: string | undefined; onChange: (id: string | undefined) => void }) {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const { data: names } = useQuery(userNamesQuery);
  if (me === undefined) return null;
  const others = [...(names ?? [])].filter(([id]) => id !== me.user.id);
  return (
    <select
      aria-label={t.shell.owner}
      className={INPUT}
      value={props.ownerId ?? ''}
      onChange={({ target }) => props.onChange(target.value || undefined)}
    >
      <option value="">{t.shell.anyone}</option>
      <option value={me.user.id}>{t.shell.mine}</option>
      {others.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
