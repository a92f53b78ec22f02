import type { PutStop, Stop } from '../contract/stop.ts';
import { toTime } from '../contract/values/time.ts';
import type { Logger } from '../queue/logger.ts';
import type { StopRecord, StopStore } from '../queue/store.ts';
import type { AccessStore, Audited } from './access-store.ts';
import { type Authorised, entryOf } from './principal.ts';

/**
 * The switch that stops everything. Everyone can see the switch; only administrators can use it.
 */
export interface StopService {
  get(by: Authorised<'read'>): Promise<Stop>;
  /** Stops or resumes everything. */
  put(by: Authorised<'admin'>, body: PutStop): Promise<Stop>;
}

interface Parts {
  readonly store: StopStore & Pick<AccessStore, 'getUser'> & Audited<StopStore>;
  readonly mask: (text: string) => string;
  readonly log: Logger;
}

const NOT_STOPPED: Stop = { stopped: false, since: null, by: null, reason: null };
const EVERYTHING = { kind: 'system', id: 'all' } as const;

export function stopService({ store, mask, log }: Parts): StopService {
  const view = async (stop: StopRecord | null): Promise<Stop> => {
    if (stop === null) return NOT_STOPPED;
    const { since, reason } = stop;
    const by = (await store.getUser(stop.by))?.name ?? stop.by;
    return { stopped: true, since: toTime(since), by, reason };
  };
  return {
    get: async () => view(await store.getStop()),

    async put(by, { stopped, reason: given }) {
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
