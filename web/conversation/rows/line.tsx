import type { ReactNode } from 'react';
import { Ago } from '../../parts/time.tsx';

/** A thin line with a short text. */
export function Line({ at, children }: { at: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-3 text-xs text-soft">
      <span className="h-px min-w-4 grow bg-edge" aria-hidden />
      <span className="flex flex-wrap items-center justify-center gap-x-2">
        {children}
        <Ago at={at} />
      </span>
      <span className="h-px min-w-4 grow bg-edge" aria-hidden />
    </div>
  );
}
