import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Session } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { INPUT } from '../parts/field.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { typesIn } from './log-window.ts';
import { logQuery } from './queries.ts';

/** How many rows are rendered at a time. */
const LINES = 200;

/** The stored log, newest first. */
export function EventsTab({ session }: { session: Session }) {
  const t = useTexts();
  const [last, setLast] = useState(session.lastSeq);
  const [type, setType] = useState('');
  const [most, setMost] = useState(LINES);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    logQuery(session.id, last),
  );
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  const events = type === '' ? all : all.filter((event) => event.type === type);
  const fresh = session.lastSeq - last;
  const more = (): void => {
    if (events.length <= most && hasNextPage) void fetchNextPage();
    setMost(most + LINES);
  };
  return (
    <Section
      title={t.detail.events}
      about={t.detail.eventsHelp}
      actions={
        <select
          aria-label={t.detail.type}
          value={type}
          onChange={({ target }) => setType(target.value)}
          className={`${INPUT} w-auto! max-md:w-full!`}
        >
          <option value="">{t.detail.allTypes}</option>
          {typesIn(all).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      }
    >
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {fresh > 0 && (
        <Button size="small" className="mb-2" onClick={() => setLast(session.lastSeq)}>
          {t.detail.fresh(fresh)}
        </Button>
      )}
      {data !== undefined && events.length === 0 && (
        <p className="text-dense text-soft">{t.detail.noEvents}</p>
      )}
      <ol className="-mx-4 divide-y divide-edge">
        {events.slice(0, most).map((event) => (
          <Line key={event.seq} event={event} />
        ))}
      </ol>
      {(events.length > most || hasNextPage) && (
        <Button variant="quiet" size="small" className="mt-2" disabled={isFetching} onClick={more}>
          {t.detail.earlier}
        </Button>
      )}
    </Section>
  );
}

function Line({ event }: { event: SessionEvent }) {
  const t = useTexts();
  const locale = useStore(language);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-baseline gap-x-3 px-4 py-1 text-left hover:bg-raised max-md:min-h-11 max-md:flex-wrap"
      >
        <span className="figures w-12 shrink-0 text-right text-dense text-soft">{event.seq}</span>
        <span className="min-w-0 grow font-mono text-dense max-md:basis-3/5">{event.type}</span>
        <span className="shrink-0 text-dense text-soft max-md:pl-15">
          {exactTime(event.at, locale)}
        </span>
      </button>
      {isOpen && (
        <div className="relative px-4 pb-3">
          <pre className="rounded bg-raised p-2 pr-10 font-mono text-xs whitespace-pre-wrap">
            {JSON.stringify(event, null, 2)}
          </pre>
          <CopyButton text={() => JSON.stringify(event)} className="absolute top-1 right-5" />
          <Link
            to="/s/$id"
            params={{ id: event.sessionId }}
            search={{ event: event.seq }}
            className="mt-1 inline-block text-dense underline underline-offset-3"
          >
            {t.detail.inConversation}
          </Link>
        </div>
      )}
    </li>
  );
}
