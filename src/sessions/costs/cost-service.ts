import { isAdmin } from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import type { SessionService } from '../service.ts';
import { findSession, type ServiceParts } from '../service-parts.ts';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
/** Bounds how much is read at once. */
const DAYS_MAX = 366;
const LINES_MAX = 1000;

/** The cost of agents (A5), for one session or for all sessions that the caller may see. */
export function costService(parts: ServiceParts): Pick<SessionService, 'cost' | 'costs'> {
  const { store } = parts;
  return {
    async cost(by, id) {
      const { session } = await findSession(parts, by, id, 'view');
      const [sums, models] = [await store.sumInvocations(id), await store.sumByModel(id)];
      return { sessionId: id, budgetUsd: session.budgetUsd, ...sums, models };
    },

    costs(by, { by: key = 'day', from, to }) {
      const end = to === undefined ? Date.now() + DAY_MS : Date.parse(to);
      const begin =
        from === undefined ? Math.min(end, Date.now()) - DAYS_DEFAULT * DAY_MS : Date.parse(from);
      if (end - begin > (DAYS_MAX + 1) * DAY_MS) {
        throw new BatonError(
          'invalid_request',
          `At most ${DAYS_MAX} days can be added up in one request.`,
          {
            details: { field: 'from' },
          },
        );
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
