import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionStatus } from '../../src/contract/session.ts';
import { meQuery, type SessionFilter, userNamesQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { INPUT } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';

/** The filters to change; undefined removes a filter. */
export type Part = { [K in keyof SessionFilter]?: SessionFilter[K] | undefined };

interface FiltersProps {
  readonly filter: SessionFilter;
  readonly set: (part: Part) => void;
  readonly count: number;
}

/** All filters except the name. */
export function MoreFilters({ filter, set, count }: FiltersProps) {
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
        <label className="flex items-center gap-2 py-1 max-md:min-h-11 max-md:min-w-11">
          <input
            type="checkbox"
            checked={filter.archived === true}
            onChange={({ target }) => set({ archived: target.checked || undefined })}
          />
          {t.shell.archived}
        </label>
        {count > 0 && (
          <Button
            variant="quiet"
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

/** The user's own sessions or all visible ones; administrators can choose any user. */
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
