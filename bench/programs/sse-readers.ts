// Opens many SSE readers of one URL, and tells when all are open and what they were sent.
// Argument: { url, token, readers }. Messages in: 'report'. Messages out: 'open', then a Report.
import { Agent, get } from 'node:http';
import { now } from '../measure.ts';

interface Setup {
  readonly url: string;
  readonly token: string;
  readonly readers: number;
  /** Sends each event's seq and arrival to the parent at once: for latency, with few readers. */
  readonly tell: boolean;
}

export interface Arrival {
  readonly i: number;
  readonly at: number;
}

export interface Report {
  /** Events of the bench that arrived, all readers together. */
  readonly delivered: number;
  /** Readers whose events were not in order, or not each once. */
  readonly broken: number;
  readonly lastAt: number;
}

const { url, token, readers, tell } = JSON.parse(process.argv[2]!) as Setup;
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
const last = new Array<number>(readers).fill(0);
let delivered = 0;
let broken = 0;
let lastAt = 0;
let open = 0;

for (let reader = 0; reader < readers; reader++) {
  get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    let rest = '';
    answer.setEncoding('utf8').on('data', (piece: string) => {
      rest += piece;
      const end = rest.lastIndexOf('\n\n');
      if (end === -1) return;
      read(reader, rest.slice(0, end));
      rest = rest.slice(end + 2);
    });
    answer.on('error', () => {});
    if (++open === readers) process.send!('open');
  }).on('error', (error) => {
    throw error;
  });
}

process.on('message', () => process.send!({ delivered, broken, lastAt } satisfies Report));

function read(reader: number, text: string): void {
  lastAt = now();
  for (const frame of text.split('\n\n')) {
    if (!frame.includes('event: agent.notice')) continue;
    const i = Number(/"i":(\d+)/.exec(frame)?.[1]);
    if (i !== last[reader]! + 1) broken++;
    last[reader] = i;
    delivered++;
    if (tell) process.send!({ i, at: lastAt } satisfies Arrival);
  }
}
