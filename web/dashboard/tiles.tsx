import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX, Hand, Hourglass, type LucideIcon, Play } from 'lucide-react';
import type { Stats } from '../../src/contract/stats.ts';
import { duration } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { countOf, type RunGroup } from './figures.ts';

const STYLES: Record<RunGroup, readonly [icon: LucideIcon, ink: string]> = {
  running: [Play, 'text-accent'],
  waiting: [Hand, 'text-warn'],
  queued: [Hourglass, 'text-soft'],
  succeeded: [CircleCheck, 'text-good'],
  failed: [CircleX, 'text-bad'],
};

const TILE = 'min-w-0 rounded border bg-panel px-4 py-3';

/** A tile for each count, with a link to its runs. */
export function Tiles({ stats, shown }: { stats: Stats; shown: RunGroup | undefined }) {
  const t = useTexts();
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
      {(Object.keys(STYLES) as RunGroup[]).map((group) => (
        <li key={group}>
          <Tile group={group} stats={stats} isShown={group === shown} />
        </li>
      ))}
      <li className={`${TILE} border-edge`}>
        <p className="text-dense text-soft">{t.dashboard.queueWait}</p>
        {stats.queueWaitMs === null ? (
          <p className="mt-1 text-soft">{t.dashboard.noQueueWait}</p>
        ) : (
          <dl className="mt-0.5 text-dense">
            <Wait name={t.dashboard.median} ms={stats.queueWaitMs.p50} />
            <Wait name={t.dashboard.p95} ms={stats.queueWaitMs.p95} />
          </dl>
        )}
      </li>
    </ul>
  );
}

const Wait = ({ name, ms }: { name: string; ms: number }) => (
  <div className="flex justify-between gap-2">
    <dt className="text-soft">{name}</dt>
    <dd className="figures">{duration(ms)}</dd>
  </div>
);

interface TileProps {
  readonly group: RunGroup;
  readonly stats: Stats;
  readonly isShown: boolean;
}

function Tile({ group, stats, isShown }: TileProps) {
  const t = useTexts();
  const locale = useStore(language);
  const count = countOf(group, stats);
  const [Icon, ink] = STYLES[group];
  const inside = (
    <>
      <span className="flex items-center gap-1.5 text-dense text-soft">
        <Icon size={14} className={count > 0 ? ink : ''} aria-hidden />
        {t.dashboard.tiles[group]}
      </span>
      <span className="figures block text-xl font-semibold">{count.toLocaleString(locale)}</span>
      <span className="text-xs text-soft">
        {group === 'succeeded' || group === 'failed' ? t.dashboard.sevenDays : t.dashboard.now}
      </span>
    </>
  );
  const style = `block h-full min-h-11 hover:bg-raised ${TILE} ${isShown ? 'border-accent' : 'border-edge'}`;
  return group === 'waiting' && count > 0 ? (
    <Link to="/inbox" className={style}>
      {inside}
    </Link>
  ) : (
    <Link
      to="/dashboard"
      search={isShown ? {} : { runs: group }}
      hash="activity"
      aria-current={isShown ? 'true' : undefined}
      className={style}
    >
      {inside}
    </Link>
  );
}
