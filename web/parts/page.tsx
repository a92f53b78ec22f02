import { type ReactNode, useEffect } from 'react';
import { createStore, useStore } from '../state/store.ts';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A scrolling page with its title at the top. */
export function Page({ title, actions, wide = false, children }: PageProps) {
  useTitle(title);
  return (
    <div className="h-full overflow-y-auto">
      <div className={`mx-auto px-6 py-6 max-md:px-4 ${wide ? 'max-w-6xl' : 'max-w-3xl'}`}>
        <header className="mb-5 flex flex-wrap items-center justify-between gap-2">
          <h1 className="text-xl font-semibold">{title}</h1>
          {actions}
        </header>
        {children}
      </div>
    </div>
  );
}

/**
 * How many questions are waiting for the user; set by the shell, shown in front of every page
 * title.
 */
export const waitingCount = createStore(0);

export function useTitle(title: string): void {
  const waiting = useStore(waitingCount);
  useEffect(() => {
    const name = title === '' ? 'Baton' : `${title} · Baton`;
    document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
  }, [title, waiting]);
}
