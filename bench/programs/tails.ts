// Follows lanes until the run in each has ended, and tells what came and how long it was on its way.
import { postgresQueue } from '../../src/library.ts';
import { now } from '../measure.ts';

export interface TailsSetup {
  readonly url: string;
  readonly lanes: readonly string[];
}

/** What the writer puts into each event. */
export interface Sent {
  readonly i: number;
  /** On the clock that all processes share. */
  readonly at: number;
}

export interface Followed {
  /** Of all lanes, in no order. */
  readonly ms: readonly number[];
  /** Events that did not come right after the one before, in their seq or their number. */
  readonly outOfOrder: number;
}

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
    if (event.type !== 'agent.text') continue;
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
