import pg from 'pg';
import { backoff } from '../../contract/functions/growing-wait.ts';
import type { Hint } from '../../queue/hint.ts';
import { isEmptyHint } from '../operations/dialect.ts';
import { TOPICS } from '../topics.ts';
import { clientConfig, type Target } from './connect.ts';
import { formatHint, parseHint } from './hint-message.ts';

/*
 * Hints between processes over LISTEN/NOTIFY. Hints are sent after the commit, never inside the
 * writing transaction, where NOTIFY takes a lock that all commits share (the rate of 16 writers
 * fell to a third). The first hint is sent at once; later ones are merged and sent at most every 10
 * ms. Losing a hint costs no more than a polling interval.
 */

const WINDOW_MS = 10;
const RECONNECT = { firstMs: 250, capMs: 5000 };

export class HintChannel {
  readonly #target: Target;
  readonly #pool: pg.Pool;
  readonly #onHint: (hint: Hint) => void;
  readonly #me = crypto.randomUUID();
  readonly #channel: string;
  #pending: Record<'lanes' | 'nodes' | 'topics', Set<string>> | null = null;
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
    this.#pending ??= { lanes: new Set(), nodes: new Set(), topics: new Set() };
    for (const lane of hint.lanes) this.#pending.lanes.add(lane);
    for (const node of hint.nodes) this.#pending.nodes.add(node);
    for (const topic of hint.topics) this.#pending.topics.add(topic);
    if (this.#timer === null) this.#send();
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = null;
    this.#timer = null;
    if (pending === null || this.#closed) return;
    const message = formatHint({
      from: this.#me,
      lanes: [...pending.lanes],
      nodes: [...pending.nodes],
      topics: [...pending.topics],
    });
    this.#timer = setTimeout(() => this.#send(), WINDOW_MS);
    this.#timer.unref();
    // A hint that cannot be sent is lost.
    this.#pool.query('SELECT pg_notify($1, $2)', [this.#channel, message]).catch(() => {});
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
      this.#onHint({ lanes: [], nodes: [], topics: TOPICS, all: true });
    } catch {
      await client.end().catch(() => {});
      this.#lost(client);
    }
  }

  #receive(payload: string): void {
    const hint = parseHint(payload);
    if (hint !== null && hint.from !== this.#me) this.#onHint(hint);
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#listener !== client) return;
    this.#listener = null;
    const waitMs = backoff(++this.#failures, RECONNECT);
    this.#reconnect = setTimeout(() => void this.listen(), waitMs);
    this.#reconnect.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    clearTimeout(this.#reconnect ?? undefined);
    await this.#listener?.end().catch(() => {});
  }
}
