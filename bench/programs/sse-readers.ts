// Opens many SSE readers of one URL, and reports when all are open and which events they got.
// Argument: { url, token, readers }. Messages in: 'report'. Messages out: 'open', then a Report.
import { connect } from 'node:net';
import { now } from '../measure.ts';

interface Setup {
  readonly url: string;
  readonly token: string;
  readonly readers: number;
  /** Sends each event's seq and arrival to the parent at once: for latency, with few readers. */
  readonly forward: boolean;
}

export interface Arrival {
  readonly i: number;
  readonly at: number;
}

export interface Report {
  /** Events of the benchmark that arrived, over all readers. */
  readonly delivered: number;
  /** Readers with events out of order, missing or repeated. */
  readonly broken: number;
  readonly lastAt: number;
}

const { url, token, readers, forward } = JSON.parse(process.argv[2]!) as Setup;
const last = new Array<number>(readers).fill(0);
let delivered = 0;
let broken = 0;
let lastAt = 0;
let open = 0;

// Bare sockets: parsing HTTP for a thousand readers would take as much of the two cores as serving
// them. Frames are never split across chunks, so the chunk headers between them do not matter.
const { hostname, port, pathname } = new URL(url);
const request = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
// Each reader opens when another has been admitted: the server limits how many connections of one
// address may wait to be authenticated.
const OPENING_MAX = 100;
let opening = 0;
while (opening < Math.min(readers, OPENING_MAX)) openReader(opening++);

function openReader(reader: number): void {
  const socket = connect(Number(port), hostname, () => socket.write(request));
  let rest = '';
  let begun = false;
  socket.on('close', () => {
    throw new Error(`Reader ${reader} was disconnected`);
  });
  socket.setEncoding('latin1').on('data', (piece: string) => {
    rest += piece;
    if (!begun) {
      const head = rest.indexOf('\r\n\r\n');
      if (head === -1) return;
      if (!rest.startsWith('HTTP/1.1 200')) throw new Error(rest.slice(0, head));
      begun = true;
      if (++open === readers) process.send!('open');
      if (opening < readers) openReader(opening++);
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
  for (const [, number] of text.matchAll(NUMBER)) {
    const i = Number(number);
    if (i !== last[reader]! + 1) broken++;
    last[reader] = i;
    delivered++;
    if (forward) process.send!({ i, at: lastAt } satisfies Arrival);
  }
}
