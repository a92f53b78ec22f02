// Follows lanes until the run in each has ended, and reports the events with their latency.
import { postgresQueue } from '../../src/library.ts';
import { now } from '../measure.ts';

export interface TailsSetup {
  readonly url: string;
  readonly lanes: readonly string[];
}

/** The events of each lane. */
export interface TailEvents {
  readonly 'line.sent': Sent & { readonly text: string };
}

interface Sent {
  readonly i: number;
  /** On the clock shared by all processes. */
  readonly at: number;
}

export interface Followed {
  /** The latencies of all lanes, unordered. */
  readonly ms: readonly number[];
  /** Events whose seq or number does not follow the previous one. */
  readonly outOfOrder: number;
}

const LINE: keyof TailEvents = 'line.sent';

const { url, lanes } = JSON.parse(process.argv[2]!) as TailsSetup;
const queue = await postgresQueue({ url });
const ms: number[] = [];
let outOfOrder = 0;

async function follow(lane: string): Promise<void> {
  let seq = 0;
  let i = -1;
  for await (const event of queue.tail(lane)) {
    const at = now();
    if (event.seq !== ++seq) outOfOrder++;
    if (event.type === 'done') return;
    if (event.type !== LINE) continue;
    const sent = event.payload as unknown as Sent;
    if (sent.i !== ++i) outOfOrder++;
    ms.push(at - sent.at);
  }
}

const all = Promise.all(lanes.map(follow));
process.on('disconnect', () => process.exit());
process.send!('following');
await all;
const followed: Followed = { ms, outOfOrder };
process.send!(followed);
