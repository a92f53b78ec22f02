import { type Authorised, isAdmin } from '../../access/principal.ts';
import type { CostLine, costEndpoints } from '../../contract/api/cost.ts';
import type { QueryOf } from '../../contract/api/endpoint.ts';
import { BatonError } from '../../contract/errors.ts';
import type { Cost } from '../../contract/run-view.ts';
import { findSession } from '../find-session.ts';
import type { ServiceParts } from '../service-parts.ts';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
/** Bounds how much is read at once. */
const DAYS_MAX = 366;
const LINES_MAX = 1000;

export type CostQuery = QueryOf<typeof costEndpoints.listCosts>;

/** The cost of agents (A5). */
export interface CostService {
  ofSession(by: Authorised<'read'>, sessionId: string): Promise<Cost>;
  /** Sums over all sessions that the caller may see. */
  list(by: Authorised<'read'>, query: CostQuery): Promise<CostLine[]>;
}

export function costService(parts: Pick<ServiceParts, 'store'>): CostService {
  const { store } = parts;
  return {
    async ofSession(by, id) {
      const { session } = await findSession(parts, by, id, 'view');
      const [sums, models] = [await store.sumInvocations(id), await store.sumByModel(id)];
      return { sessionId: id, budgetUsd: session.budgetUsd, ...sums, models };
    },

    list(by, { by: key = 'day', from, to }) {
      const end = to === undefined ? Date.now() + DAY_MS : Date.parse(to);
      const begin =
        from === undefined ? Math.min(end, Date.now()) - DAYS_DEFAULT * DAY_MS : Date.parse(from);
      if (end - begin > (DAYS_MAX + 1) * DAY_MS) {
        throw new BatonError('invalid_request', `One request can cover at most ${DAYS_MAX} days.`, {
          details: { field: 'from' },
        });
      }
      return store.listCosts({
        by: key,
        from: begin,
        to: end,
        limit: LINES_MAX,
        ...(isAdmin(by) ? {} : { visibleTo: by.userId }),
      });
    },
  };
}
