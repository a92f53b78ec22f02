import { type Page, readPage, type Slice } from '../../access/page.ts';
import { type Authorised, isAdmin, type Principal } from '../../access/principal.ts';
import type { QueryOf } from '../../contract/api/endpoint.ts';
import type { runEndpoints } from '../../contract/api/runs.ts';
import { BatonError } from '../../contract/errors.ts';
import type { AgentPayload } from '../../contract/message.ts';
import { isTerminal, type Run } from '../../contract/run.ts';
import type { EditRun, Invocation, RunView } from '../../contract/run-view.ts';
import type { Stats } from '../../contract/stats.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Counts } from '../../queue/store.ts';
import { onRun } from '../audit-details.ts';
import { findRun, findSession } from '../find-session.ts';
import type { ArrivalOrder } from '../messages/arrival-order.ts';
import { openOriginal, refuseMask, storeMessage, takenOverBy } from '../messages/messages.ts';
import { checkAdmission } from '../rules/admission-check.ts';
import { QUEUE_MAX, type ServiceParts } from '../service-parts.ts';
import type { RunEdit } from '../session-store.ts';
import { logChanges } from '../status-log.ts';
import { toInvocation, toRunView } from '../views.ts';

export type RunQuery = QueryOf<typeof runEndpoints.listRuns>;

/** The runs that messages become. */
export interface RunService {
  list(by: Authorised<'read'>, query: RunQuery): Promise<Page<RunView>>;
  get(by: Authorised<'read'>, id: string): Promise<RunView>;
  edit(by: Authorised<'run'>, id: string, body: EditRun): Promise<RunView>;
  remove(by: Authorised<'run'>, id: string): Promise<void>;
  cancel(by: Authorised<'run'>, id: string): Promise<RunView>;
  retry(by: Authorised<'run'>, id: string): Promise<RunView>;
  invocations(by: Authorised<'read'>, runId: string): Promise<Invocation[]>;
  counts(by: Authorised<'read'>): Promise<Counts>;
  stats(by: Authorised<'read'>): Promise<Stats>;
}

export function runService(parts: ServiceParts, order: ArrivalOrder): RunService {
  const { store, queue, log, masker, onWork, queueMax = QUEUE_MAX } = parts;

  const view = async (run: Run): Promise<RunView> => {
    const costs = await store.costsOf([run.id]);
    return toRunView(run, costs.get(run.id) ?? 0);
  };

  const newMessage = async (by: Principal, run: Run, message: string): Promise<RunEdit> => {
    if (run.type !== 'agent') throw new BatonError('invalid_request', 'The run has no message.');
    refuseMask(message, masker);
    const before = run.payload as AgentPayload;
    const { allowedTools, disallowedTools } = before;
    const tools = { allowedTools, disallowedTools };
    const runsInShell = await checkAdmission(parts, by, { sessionId: run.lane, message, ...tools });
    const stored = await storeMessage(by, message, run.lane, { ...parts, runsInShell });
    const payload = {
      ...takenOverBy(by, before),
      message: stored.message,
      original: stored.original !== null,
    };
    return { payload: JSON.stringify(payload), original: stored.original };
  };

  /** The payload for a retry; undefined for a run that did not come from a person. */
  const payloadAgain = async (by: Principal, run: Run): Promise<string | undefined> => {
    if (run.type !== 'agent') return undefined;
    const before = run.payload as AgentPayload;
    const { allowedTools, disallowedTools } = before;
    const sealed = before.original ? await store.readOriginal(run.id) : null;
    const message = sealed === null ? before.message : openOriginal(sealed, run.lane, parts.box);
    const tools = { allowedTools, disallowedTools };
    await checkAdmission(parts, by, { sessionId: run.lane, message, ...tools });
    return JSON.stringify(takenOverBy(by, before));
  };

  return {
    async list(by, { sessionId, state, order, ...page }) {
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const list = ({ limit, cursor }: Slice): Promise<Run[]> => {
        // Queued runs are listed in the order in which they will start, which differs from the
        // order of their ids after a move.
        if (sessionId !== undefined && state === 'queued' && order === undefined)
          return queue.listQueued(sessionId, limit, cursor);
        const filter = {
          limit,
          ...(sessionId === undefined ? {} : { lane: sessionId }),
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { after: cursor }),
          ...(order === 'newest' ? { newestFirst: true } : {}),
        };
        return sessionId === undefined && !isAdmin(by)
          ? store.listVisibleRuns(by.userId, filter)
          : queue.list(filter);
      };
      const read = async (slice: Slice): Promise<RunView[]> => {
        const runs = await list(slice);
        const costs = await store.costsOf(runs.map((run) => run.id));
        return runs.map((run) => toRunView(run, costs.get(run.id) ?? 0));
      };
      return readPage(
        by,
        page,
        read,
        (run) => run,
        ({ id }) => id,
      );
    },

    get: async (by, id) => view(await findRun(parts, by, id, 'view')),

    async edit(by, id, { message, before }) {
      const move = before === undefined ? {} : { before };
      const chars = message === undefined ? {} : { chars: message.length };
      const entry = onRun(by, 'run.edit', id, { after: { ...chars, ...move } });
      const prepare = async (): Promise<RunEdit> => {
        const run = await findRun(parts, by, id, 'operate');
        return message === undefined ? {} : await newMessage(by, run, message);
      };
      // Access is checked again with the change, because it may have waited for longer edits.
      const asWhom = isAdmin(by) ? {} : { userId: by.userId };
      const change = (edit: RunEdit) =>
        store.audited(entry).editRun(id, { ...edit, ...move, ...asWhom });
      return view(await order.pass(by, id, prepare, change));
    },

    async remove(by, id) {
      const { state } = await findRun(parts, by, id, 'operate');
      const entry = onRun(by, 'run.remove', id, { before: { state } });
      await store.audited(entry).change({ do: 'remove', run: id });
    },

    async cancel(by, id) {
      const { state } = await findRun(parts, by, id, 'operate');
      const audited = store.audited(onRun(by, 'run.cancel', id, { before: { state } }));
      return view(await queue.cancel(id, 'stop', audited));
    },

    async retry(by, id) {
      const run = await findRun(parts, by, id, 'operate');
      // A run's payload is final only once the run has finished.
      if (!isTerminal(run.state)) {
        throw new BatonError('run_not_finished', undefined, { details: { state: run.state } });
      }
      const payload = await payloadAgain(by, run);
      const fresh = newId();
      const entry = onRun(by, 'run.retry', id, { after: { runId: fresh } });
      logChanges(log, (await store.audited(entry).retryRun(id, fresh, queueMax, payload)).changes);
      onWork();
      return view(await findRun(parts, by, fresh, 'operate'));
    },

    async invocations(by, runId) {
      await findRun(parts, by, runId, 'view');
      return (await store.listInvocations(runId)).map(toInvocation);
    },

    counts: (by) => (isAdmin(by) ? queue.counts() : store.countVisible(by.userId)),

    stats: (by) => store.stats(isAdmin(by) ? null : by.userId),
  };
}
