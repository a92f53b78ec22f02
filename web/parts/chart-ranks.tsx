import type { ReactNode } from 'react';

export interface Rank {
  readonly key: string;
  readonly name: ReactNode;
  readonly value: number;
  /** Shown after the name in a softer colour. */
  readonly note?: string;
}

interface RanksProps {
  readonly items: readonly Rank[];
  readonly format: (value: number) => string;
}

/** A list with a bar behind each row, relative to the largest. */
export function Ranks({ items, format }: RanksProps) {
  const most = Math.max(...items.map(({ value }) => value));
  return (
    <ol className="flex flex-col gap-2.5">
      {items.map(({ key, name, value, note }) => (
        <li key={key}>
          <div className="flex items-baseline gap-3">
            <span className="min-w-0 grow truncate">{name}</span>
            {note !== undefined && <span className="shrink-0 text-xs text-soft">{note}</span>}
            <span className="figures shrink-0">{format(value)}</span>
          </div>
          <svg className="mt-1 h-1 w-full rounded-full bg-raised" aria-hidden>
            <rect
              width={`${most === 0 ? 0 : (value / most) * 100}%`}
              height="100%"
              className="fill-info"
            />
          </svg>
        </li>
      ))}
    </ol>
  );
}
