// Reads the stream of each URL and measures the time from `sent` in an event to its arrival. Argument:
// { urls, token }. Message out: 'open'. Message in: the number of events to wait for; out: a Report.
import { get } from 'node:http';
import { now, percentile } from '../measure.ts';

export interface Report {
  readonly count: number;
  /** Events that arrived before an earlier one of the same stream. */
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
}

const EVENT = /"text":"x","i":(\d+),"sent":([\d.]+)\}/g;
/** Events that have not arrived by then are missing. */
const PATIENCE_MS = 20_000;

const { urls, token } = JSON.parse(process.argv[2]!) as { urls: string[]; token: string };
const times: number[] = [];
let broken = 0;
let open = 0;
let reportIfComplete = (): void => {};

for (const url of urls) {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  request.on('response', (answer) => {
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
    if (++open === urls.length) process.send!('open');
    let rest = '';
    let last = -1;
    answer.setEncoding('latin1').on('data', (piece: string) => {
      const at = now();
      rest += piece;
      const end = rest.lastIndexOf('\n\n');
      if (end === -1) return;
      for (const [, i, sent] of rest.slice(0, end).matchAll(EVENT)) {
        if (Number(i) <= last) broken++;
        last = Number(i);
        times.push(at - Number(sent));
      }
      rest = rest.slice(end);
      reportIfComplete();
    });
  });
}

process.on('message', (expected: number) => {
  const sendReport = (): void => {
    reportIfComplete = () => {};
    clearTimeout(timer);
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    process.send!({ count: times.length, broken, p50, p99 } satisfies Report);
  };
  const timer = setTimeout(sendReport, PATIENCE_MS);
  reportIfComplete = () => {
    if (times.length >= expected) sendReport();
  };
  reportIfComplete();
});
