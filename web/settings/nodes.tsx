import { useQuery } from '@tanstack/react-query';
import type { NodeView } from '../../src/contract/node.ts';
import { LoadError } from '../parts/notice.tsx';
import { Fact, Section } from '../parts/section.tsx';
import { Ago, exactTime, useSeconds } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { bytes, healthOf, secondsSince } from './node-health.ts';
import { nodesQuery } from './queries.ts';
import { StopEverything } from './stop-everything.tsx';

/** This installation's processes, refreshed every few seconds. */
export function Nodes() {
  const t = useTexts();
  const { data, error, refetch } = useQuery(nodesQuery);
  const nodes = (data?.items ?? []).toSorted((a, b) => Number(b.alive) - Number(a.alive));
  return (
    <>
      <StopEverything />
      <p className="mb-4 text-soft">{t.settings.nodesHelp}</p>
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {nodes.map((node) => (
        <Node key={node.id} node={node} />
      ))}
    </>
  );
}

/** Machines without a name have long ids. */
const shortened = (host: string): string => (host.length > 28 ? `${host.slice(0, 24)}…` : host);

const DOTS = { healthy: 'bg-good', busy: 'bg-warn', offline: 'border-2 border-bad' } as const;

function Node({ node }: { node: NodeView }) {
  const t = useTexts();
  const locale = useStore(language);
  const now = useSeconds();
  const { load } = node;
  const health = healthOf(node);
  const percent = (share: number): string =>
    share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <Section
      title={shortened(node.hostName)}
      about={`${node.roles.map((role) => t.settings.nodeRoles[role]).join(' · ')} · ${t.settings.version(node.version)}`}
      actions={
        <span className="flex items-center gap-1.5">
          <span className={`size-2 rounded-full ${DOTS[health]}`} aria-hidden />
          {t.settings.nodeHealth[health]}
        </span>
      }
    >
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
        <Fact name={t.settings.lastHeartbeat}>
          {load === null
            ? t.settings.noHeartbeat
            : t.settings.secondsAgo(secondsSince(load.at, now))}
        </Fact>
        <Fact name={t.settings.leaseExpires}>
          {node.alive
            ? t.settings.secondsLeft(-secondsSince(node.leaseUntil, now))
            : exactTime(node.leaseUntil, locale)}
        </Fact>
        <Fact name={t.settings.executing}>
          <span className="figures">
            {node.capacity === 0 ? node.executing : `${node.executing} / ${node.capacity}`}
          </span>
        </Fact>
        <Fact name={t.settings.connections}>
          <span className="figures">{node.connections}</span>
        </Fact>
        {load !== null && (
          <>
            <Fact name={t.settings.cpu}>
              <span className="figures">{percent(load.cpu)}</span>
            </Fact>
            <Fact name={t.settings.memory}>
              <span className="figures">{bytes(load.memoryBytes)}</span>
            </Fact>
            <Fact name={t.settings.delay}>
              <span className="figures">{`${Math.round(load.eventLoopDelayMs)} ms`}</span>
            </Fact>
            <Fact name={t.settings.streams}>
              <span className="figures">{load.streams}</span>
            </Fact>
          </>
        )}
        <Fact name={t.settings.started}>
          <Ago at={node.startedAt} />
        </Fact>
        <Fact name={t.settings.process}>
          <span className="figures">{node.pid}</span>
        </Fact>
      </dl>
    </Section>
  );
}
