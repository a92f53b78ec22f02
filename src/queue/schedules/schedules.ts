import { z } from 'zod';
import { BatonError } from '../../contract/errors.ts';
import { type Schedule, ScheduleChanges, ScheduleRequest } from '../../contract/schedule.ts';
import { newId, OwnerId, ScheduleId } from '../../contract/values/ids.ts';
import { payloadText } from '../admission.ts';
import type { Handlers } from '../handlers.ts';
import type { Logger } from '../logger.ts';
import { parseInput } from '../parse-input.ts';
import type { ScheduleStore, ScheduleWrite } from '../store.ts';
import { edited, pausedOf, requested, resumedOf, tickAfter } from './schedule-plan.ts';

/** Each lost race means that another change succeeded; this many in a row is a bug, not a race. */
const MOST_TRIES = 100;

const Filter = z.strictObject({
  owner: OwnerId.optional(),
  after: ScheduleId.optional(),
  limit: z.int().min(1).max(1000).optional(),
});
export type ScheduleFilter = z.input<typeof Filter>;
const Count = z.int().min(1).max(1000);

/** Creates and changes schedules: validates input, and retries if another change came first. */
export class Schedules {
  readonly #store: ScheduleStore;
  readonly #handlers: Handlers;
  readonly #log: Logger;

  constructor(store: ScheduleStore, handlers: Handlers, log: Logger) {
    this.#store = store;
    this.#handlers = handlers;
    this.#log = log;
  }

  async put(input: ScheduleRequest): Promise<Schedule> {
    payloadText(input?.payload ?? null);
    const request = { id: newId(), ...given(parseInput(ScheduleRequest, input)) };
    return this.#change(request.id, 'ScheduleSet', (current, now) =>
      requested(request, current, this.#handlers, now),
    );
  }

  async edit(id: string, input: ScheduleChanges): Promise<Schedule> {
    payloadText(input?.payload ?? null);
    const changes = given(parseInput(ScheduleChanges, input));
    return this.#changeKnown(id, 'ScheduleEdited', (current, now) =>
      edited(changes, current, this.#handlers, now),
    );
  }

  pause(id: string): Promise<Schedule> {
    return this.#changeKnown(id, 'SchedulePaused', pausedOf);
  }

  resume(id: string): Promise<Schedule> {
    return this.#changeKnown(id, 'ScheduleResumed', resumedOf);
  }

  async remove(id: string): Promise<void> {
    const removed = isId(id) && (await this.#store.removeSchedule(id));
    if (!removed) throw new BatonError('not_found', 'There is no such schedule.');
    this.#log.info({ scheduleId: id }, 'ScheduleRemoved');
  }

  async get(id: string): Promise<Schedule | null> {
    return isId(id) ? this.#store.getSchedule(id) : null;
  }

  async list(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    const { limit = 100, ...rest } = given(parseInput(Filter, filter));
    return this.#store.listSchedules({ limit, ...rest });
  }

  /**
   * The times from the next tick onwards; none if the schedule is paused or has fired its last
   * tick.
   */
  async nextTimes(id: string, count: number): Promise<number[]> {
    const wanted = parseInput(Count, count, 'count');
    const schedule = await this.get(id);
    if (schedule === null) throw new BatonError('not_found', 'There is no such schedule.');
    const times: number[] = [];
    let next = schedule.nextAt;
    while (next !== null && times.length < wanted) {
      times.push(next);
      next = tickAfter(schedule, next);
    }
    return times;
  }

  #changeKnown(
    id: string,
    message: string,
    make: (current: Schedule, now: number) => ScheduleWrite,
  ): Promise<Schedule> {
    return this.#change(id, message, (current, now) => {
      if (current === null) throw new BatonError('not_found', 'There is no such schedule.');
      return make(current, now);
    });
  }

  /** The new version depends on the current one, so it is computed again after a lost race. */
  async #change(
    id: string,
    message: string,
    make: (current: Schedule | null, now: number) => ScheduleWrite,
  ): Promise<Schedule> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const now = await this.#store.time();
      const current = await this.get(id);
      const wanted = make(current, now);
      const stored = await this.#store.putSchedule(wanted, current?.version ?? null);
      if (stored === null) continue;
      const { type, nextAt } = stored;
      this.#log.info({ scheduleId: id, type, nextAt }, message);
      return stored;
    }
    throw new BatonError('internal', `The schedule ${id} keeps changing.`);
  }
}

const isId = (id: string): boolean => ScheduleId.safeParse(id).success;

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops fields that are undefined. */
const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
