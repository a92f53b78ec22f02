import type { ReactNode } from 'react';

interface SectionProps {
  /** Omitted where the page already has a heading. */
  readonly title?: string;
  /** One sentence under the title. */
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A boxed section of a page. */
export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <section className="mb-4 min-w-0 rounded border border-edge bg-panel p-4">
      <header className="mb-3 flex flex-wrap items-start justify-between gap-2">
        <div className={`min-w-0 flex-1 ${about === undefined ? 'basis-32' : 'basis-60'}`}>
          {title !== undefined && <h2 className="font-semibold">{title}</h2>}
          {about !== undefined && (
            <p className={title === undefined ? 'text-soft' : 'text-dense text-soft'}>{about}</p>
          )}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** A labelled value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-dense text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
