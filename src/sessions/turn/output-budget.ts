import { setTimeout as delay } from 'node:timers/promises';
import { byteLength, type Json } from '../../contract/json.ts';
import type { Run } from '../../contract/run.ts';
import type { LogStore } from '../../queue/store.ts';
import { retryWhileAway } from '../retry-while-away.ts';

/** What one run may store, by default (E10). */
export const RUN_OUTPUT_BYTES = 64 * 1024 * 1024;
const PAGE = 100;
/** What an event takes besides its payload: 150 in a file of SQLite, and more in its log. */
export const EVENT_BYTES = 200;
/** Beyond its budget an agent's output is read no faster than so many characters in so long. */
const PACE_CHARACTERS = 1024 * 1024;
const PACE_MS = 125;

/**
 * What a run may still store of what its agent says and does (E10), all its attempts together.
 * While there is something left, the database slows down an agent that says too much (E7); beyond
 * it, nothing would, and one agent could keep the server busy with reading what is not kept.
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

  /** So many characters were read that are not kept. */
  async pace(characters: number): Promise<void> {
    this.#read += characters;
    if (this.#read < PACE_CHARACTERS) return;
    await delay(Math.max(0, this.#since + PACE_MS - performance.now()));
    this.#read = 0;
    this.#since = performance.now();
  }
}

/** What an event with this payload takes in the database, about. */
export const bytesOf = (payload: Json): number => EVENT_BYTES + byteLength(JSON.stringify(payload));

/** What earlier attempts of the run have stored. */
export async function storedBytes(
  store: Pick<LogStore, 'listAfter'>,
  run: Run,
  signal: AbortSignal,
): Promise<number> {
  if (run.startedAt === null) return 0;
  let bytes = 0;
  for (let after = run.firstSeq - 1; ; ) {
    const events = await retryWhileAway(signal, () =>
      store.listAfter(run.lane, after, PAGE, run.id),
    );
    for (const { payload } of events) bytes += bytesOf(payload) + artefactBytes(payload);
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return bytes;
    after = last.seq;
  }
}

function artefactBytes(payload: Json): number {
  const { artefact } = (payload ?? {}) as { artefact?: { bytes?: unknown } };
  return Number(artefact?.bytes ?? 0) || 0;
}
