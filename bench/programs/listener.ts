// The peer of append → SSE: listens on a bare channel. Argument: { database }. Messages out: 'ready',
// then an Arrival for each notification.
import pg from 'pg';
import { now } from '../measure.ts';
import type { Arrival } from './sse-readers.ts';

const { database } = JSON.parse(process.argv[2]!) as { database: string };
const client = new pg.Client({ connectionString: database });
await client.connect();
client.on('notification', ({ payload }) => {
  process.send!({ i: Number(payload), at: now() } satisfies Arrival);
});
await client.query('LISTEN bare');
process.send!('ready');
process.on('SIGTERM', () => process.exit(0));
