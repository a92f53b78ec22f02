// Opens many SSE readers of one URL, and tells when all are open and what they were sent.
// Argument: { url, token, readers }. Messages in: 'report'. Messages out: 'open', then a Report.
import { connect } from 'node:net';
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
const last = new Array<number>(readers).fill(0);
let delivered = 0;
let broken = 0;
let lastAt = 0;
let open = 0;

// Bare sockets: parsing HTTP for a thousand readers would take as much of the two cores as serving
// them. The frames of a chunk come whole, so that what stands between chunks is not in the way.
const { hostname, port, pathname } = new URL(url);
const request = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
for (let reader = 0; reader < readers; reader++) {
  const socket = connect(Number(port), hostname, () => socket.write(request));
  let rest = '';
  let begun = false;
  socket.setEncoding('latin1').on('data', (piece: string) => {
    rest += piece;
    if (!begun) {
      const head = rest.indexOf('\r\n\r\n');
      if (head === -1) return;
      if (!rest.startsWith('HTTP/1.1 200')) throw new Error(rest.slice(0, head));
      begun = true;
      if (++open === readers) process.send!('open');
    }
    const end = rest.lastIndexOf('\n\n');
    if (end === -1) return;
    read(reader, rest.slice(0, end));
    rest = rest.slice(end);
  });
}

process.on('message', () => process.send!({ delivered, broken, lastAt } satisfies Report));

const NUMBER = /"text":"x*","i":(\d+)}/g;

function read(reader: number, text: string): void {
  lastAt = now();
  for (const [, found] of text.matchAll(NUMBER)) {
    const i = Number(found);
    if (i !== last[reader]! + 1) broken++;
    last[reader] = i;
    delivered++;
    if (tell) process.send!({ i, at: lastAt } satisfies Arrival);
  }
}
