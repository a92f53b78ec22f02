import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../api/queries.ts';
import { useTexts } from '../texts/texts.ts';

/** Shown before the first run. */
export function Empty() {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const mayRun = me?.rights.includes('run') === true;
  return (
    <div className="rounded border border-edge bg-panel p-6">
      <h2 className="mb-1 font-semibold">{t.dashboard.empty}</h2>
      <p className="text-soft">{mayRun ? t.dashboard.emptyHelp : t.dashboard.emptyForViewers}</p>
      {mayRun && (
        <Link
          to="/new"
          className="mt-4 inline-flex min-h-9 items-center justify-center rounded bg-accent px-3 font-medium text-on-accent hover:bg-accent-over max-md:min-h-11 max-md:min-w-11"
        >
          {t.dashboard.start}
        </Link>
      )}
    </div>
  );
}
