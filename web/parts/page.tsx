import { type ReactNode, useEffect } from 'react';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A page that scrolls as one, with its name above. */
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

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Baton' : `${title} · Baton`;
  }, [title]);
}
