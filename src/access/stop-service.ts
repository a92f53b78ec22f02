import type { Stop } from '../contract/stop.ts';
import { toTime } from '../contract/time.ts';
import type { Logger } from '../queue/logger.ts';
import type { StopRecord, StopStore } from '../queue/store.ts';
import type { AccessStore, Audited } from './access-store.ts';
import { entryOf } from './principal.ts';
import type { AccessService } from './service.ts';

interface Parts {
  readonly store: StopStore & Pick<AccessStore, 'getUser'> & Audited<StopStore>;
  readonly mask: (text: string) => string;
  readonly log: Logger;
}

const NOT_STOPPED: Stop = { stopped: false, since: null, by: null, reason: null };
const EVERYTHING = { kind: 'system', id: 'all' } as const;

/** The switch that stops everything: everyone can see it, administrators use it. */
export function stopService({ store, mask, log }: Parts): Pick<AccessService, 'stop' | 'putStop'> {
  const view = async (stop: StopRecord | null): Promise<Stop> => {
    if (stop === null) return NOT_STOPPED;
    const { since, reason } = stop;
    const by = (await store.getUser(stop.by))?.name ?? stop.by;
    return { stopped: true, since: toTime(since), by, reason };
  };
  return {
    stop: async () => view(await store.getStop()),

    async putStop(by, { stopped, reason: given }) {
      const reason = given === undefined ? null : mask(given);
      const action = stopped ? 'system.stop' : 'system.resume';
      const entry = entryOf(by, action, EVERYTHING, { after: { reason } });
      const stop = await store.audited(entry).setStop(stopped ? { by: by.userId, reason } : null);
      const { userId, channel } = by;
      log.warn({ userId, channel, reason }, stopped ? 'StopRequested' : 'ResumeRequested');
      return view(stop);
    },
  };
}
