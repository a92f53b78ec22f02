import { useQuery } from '@tanstack/react-query';
import { OctagonPause } from 'lucide-react';
import { useState } from 'react';
import { client, queries } from '../api/client.ts';
import { meQuery, stopQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Ago } from '../parts/time.tsx';
import { useTexts } from '../texts/texts.ts';

// Loaded when opened.
const ConfirmDialog = lazyPart(() => import('../parts/confirm-dialog.tsx'), 'ConfirmDialog');

/** Shown on every page while everything is stopped; says who stopped it, when and why. */
export function StopBanner() {
  const t = useTexts();
  const words = t.shell.stopped;
  const [isAsked, setIsAsked] = useState(false);
  const { data: stop } = useQuery(stopQuery);
  const { data: me } = useQuery(meQuery);
  if (stop === undefined || stop.since === null) return null;
  const resume = async (): Promise<void> => {
    queries.setQueryData(stopQuery.queryKey, await client.putStop({ body: { stopped: false } }));
  };
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 border-b border-bad bg-bad-soft px-4 py-1.5 text-dense"
    >
      <OctagonPause size={16} className="shrink-0 text-bad" aria-hidden />
      <p className="min-w-0 grow basis-0">
        <strong className="font-semibold">{words.title}</strong>{' '}
        <span className="max-md:hidden">{words.help}</span>
      </p>
      {me?.rights.includes('admin') === true && (
        <Button onClick={() => setIsAsked(true)}>{words.resume}</Button>
      )}
      <p className="w-full text-soft md:pl-7">
        {words.by(stop.by ?? '')} · <Ago at={stop.since} />
        {stop.reason !== null && ` · ${stop.reason}`}
      </p>
      {isAsked && (
        <ConfirmDialog
          title={words.sure}
          about={words.about}
          confirm={words.resume}
          act={resume}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
}
