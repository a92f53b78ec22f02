import { setTimeout as delay } from 'node:timers/promises';
import type { LogEvent } from '../../contract/event.ts';
import { payloadOf } from '../../contract/events/table.ts';
import type { Run } from '../../contract/run.ts';
import { byteLength, type Json } from '../../contract/values/json.ts';
import type { LogStore } from '../../queue/store.ts';

/** How much output one run may store by default (E10). */
export const RUN_OUTPUT_BYTES = 64 * 1024 * 1024;
const PAGE = 100;
/** An event's overhead beyond its payload: 150 bytes in a SQLite file, and more in its WAL. */
export const EVENT_BYTES = 200;
/** Once the budget is spent, output is read no faster than PACE_CHARACTERS per PACE_MS. */
const PACE_CHARACTERS = 1024 * 1024;
const PACE_MS = 125;

/**
 * How much output a run may still store (E10), across all its attempts. Until it is spent, the
 * database slows down an agent that writes too much (E7). After that, nothing would slow it down,
 * and one agent could keep the server busy reading output that is never stored; hence `pace`.
 */
export class OutputBudget {
  readonly bytes: number;
  #left: number;
  #read = 0;
  #since = performance.now();

  constructor(bytes: number, spent = 0) {
    this.bytes = bytes;
    this.#left = bytes - spent;
  }

  get isUsedUp(): boolean {
    return this.#left <= 0;
  }

  has(bytes: number): boolean {
    return bytes <= this.#left;
  }

  spend(bytes: number): void {
    this.#left -= bytes;
  }

  /** Call this after reading `characters` that are not stored. */
  async pace(characters: number): Promise<void> {
    this.#read += characters;
    if (this.#read < PACE_CHARACTERS) return;
    await delay(Math.max(0, this.#since + PACE_MS - performance.now()));
    this.#read = 0;
    this.#since = performance.now();
  }
}

/** About how many bytes an event with this payload takes up in the database. */
export const bytesOf = (payload: Json): number => EVENT_BYTES + byteLength(JSON.stringify(payload));

/** How many bytes earlier attempts of the run have stored. */
export async function storedBytes(store: Pick<LogStore, 'listAfter'>, run: Run): Promise<number> {
  if (run.startedAt === null) return 0;
  let bytes = 0;
  for (let after = run.firstSeq - 1; ; ) {
    const events = await store.listAfter(run.lane, after, PAGE, run.id);
    for (const event of events) bytes += bytesOf(event.payload) + artefactBytes(event);
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return bytes;
    after = last.seq;
  }
}

const artefactBytes = (event: LogEvent): number =>
  payloadOf('agent.tool_result', event)?.artefact?.bytes ?? 0;
