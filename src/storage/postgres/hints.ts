import pg from 'pg';
import { z } from 'zod';
import type { Hint } from '../../queue/store.ts';
import { isEmptyHint } from '../operations/dialect.ts';
import { clientConfig, type Target } from './connect.ts';

/*
 * Hints between processes over LISTEN/NOTIFY. They are sent after the commit, never inside the
 * writing transaction, where NOTIFY takes a lock over all commits (the rate of 16 writers fell to a
 * third). The first hint is sent at once; later ones are merged and sent at most every 10 ms.
 * Losing one costs no more than a polling interval.
 */

const WINDOW_MS = 10;
/** A notification can hold 8,000 bytes; if the names do not fit, it says `all` instead. */
const NAMES_MAX_BYTES = 7500;
const RECONNECT_MS = [250, 500, 1000, 2000, 5000];

const Message = z.object({
  from: z.string(),
  ready: z.boolean(),
  nodes: z.array(z.string()),
  lanes: z.array(z.string()),
  all: z.boolean().default(false),
  // Absent from versions without schedules.
  schedules: z.boolean().default(false),
  // Absent from versions with a single user.
  access: z.boolean().default(false),
});

export class HintChannel {
  readonly #target: Target;
  readonly #pool: pg.Pool;
  readonly #onHint: (hint: Hint) => void;
  readonly #me = crypto.randomUUID();
  readonly #channel: string;
  #pending: {
    ready: boolean;
    nodes: Set<string>;
    lanes: Set<string>;
    schedules: boolean;
    access: boolean;
  } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #listener: pg.Client | null = null;
  #failures = 0;
  #reconnect: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(target: Target, pool: pg.Pool, onHint: (hint: Hint) => void) {
    this.#target = target;
    this.#pool = pool;
    this.#onHint = onHint;
    this.#channel = `${target.schema}_hints`;
  }

  /** Passes the hint to this process's listeners at once, and to other processes soon after. */
  publish(hint: Hint): void {
    if (isEmptyHint(hint)) return;
    this.#onHint(hint);
    if (this.#closed) return;
    this.#pending ??= {
      ready: false,
      nodes: new Set(),
      lanes: new Set(),
      schedules: false,
      access: false,
    };
    this.#pending.ready ||= hint.ready;
    this.#pending.schedules ||= hint.schedules === true;
    this.#pending.access ||= hint.access === true;
    for (const node of hint.nodes) this.#pending.nodes.add(node);
    for (const lane of hint.lanes) this.#pending.lanes.add(lane);
    if (this.#timer === null) this.#send();
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = null;
    this.#timer = null;
    if (pending === null || this.#closed) return;
    const fits = fitsIn(NAMES_MAX_BYTES, [...pending.nodes, ...pending.lanes]);
    const message: z.infer<typeof Message> = {
      from: this.#me,
      ready: pending.ready,
      nodes: fits ? [...pending.nodes] : [],
      lanes: fits ? [...pending.lanes] : [],
      all: !fits,
      schedules: pending.schedules,
      access: pending.access,
    };
    this.#timer = setTimeout(() => this.#send(), WINDOW_MS);
    this.#timer.unref();
    // A hint that cannot be sent is lost.
    this.#pool
      .query('SELECT pg_notify($1, $2)', [this.#channel, JSON.stringify(message)])
      .catch(() => {});
  }

  async listen(): Promise<void> {
    const client = new pg.Client({ ...clientConfig(this.#target), query_timeout: 0 });
    this.#listener = client;
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    client.on('error', () => {});
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      this.#failures = 0;
      // Hints sent while disconnected were missed, so everything has to be checked.
      this.#onHint({ ready: true, nodes: [], lanes: [], all: true, schedules: true, access: true });
    } catch {
      await client.end().catch(() => {});
      this.#lost(client);
    }
  }

  #receive(payload: string): void {
    const parsed = Message.safeParse(parseJson(payload));
    if (parsed.success && parsed.data.from !== this.#me) this.#onHint(parsed.data);
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#listener !== client) return;
    this.#listener = null;
    const wait = RECONNECT_MS[Math.min(this.#failures++, RECONNECT_MS.length - 1)];
    this.#reconnect = setTimeout(() => void this.listen(), wait);
    this.#reconnect.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    clearTimeout(this.#reconnect ?? undefined);
    await this.#listener?.end().catch(() => {});
  }
}

/** As JSON: a quote or a backslash in a name takes two bytes. */
function fitsIn(most: number, names: readonly string[]): boolean {
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > most) return false;
  }
  return true;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
