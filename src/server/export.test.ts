import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { authorised } from '../../test/support/principals.ts';
import { ADMIN, streamRig } from '../../test/support/stream-rig.ts';
import { turnsDuring } from '../../test/support/turns.ts';
import { until } from '../../test/support/until.ts';
import { ExportLine } from '../contract/api/sessions.ts';
import { newId } from '../contract/values/ids.ts';
import { exportLines } from './export.ts';

const parse = (lines: string): ExportLine[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => ExportLine.parse(JSON.parse(line)));

test('[H1] an export has the session, its runs and its whole log, one per line', async () => {
  const { session, run, services, get } = await streamRig();
  const id = await session(250);
  const runs = [await run(id, 3), await run(id, 2)];
  for (const each of runs) {
    await until(async () => (await services.runs.get(ADMIN, each)).finishedAt !== null);
  }
  const answer = await get(`/api/v1/sessions/${id}/export`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = parse(await answer.text());
  const { lastSeq } = await services.sessions.get(ADMIN, id);
  const events = lines.flatMap((line) => ('event' in line ? [line.event.seq] : []));
  expect(lines[0]).toMatchObject({ session: { id, lastSeq } });
  expect(lines.flatMap((line) => ('run' in line ? [line.run.id] : []))).toEqual(runs);
  expect(events).toEqual(Array.from({ length: lastSeq }, (_, i) => i + 1));
  expect(lines.length).toBe(1 + runs.length + lastSeq);
});

test('[E4] an export reads no further than its reader has taken', async () => {
  const { session, note, services } = await streamRig();
  const id = await session();
  const long = 'x'.repeat(1000);
  await Promise.all(Array.from({ length: 2000 }, () => note(id, long)));
  let pages = 0;
  const counting = {
    ...services,
    logs: {
      ...services.logs,
      events: (...args: Parameters<typeof services.logs.events>) => {
        pages++;
        return services.logs.events(...args);
      },
    },
  };
  const stream = await exportLines(counting, ADMIN, id);
  stream.read();
  await until(() => stream.readableLength >= stream.readableHighWaterMark);
  expect(pages).toBeLessThan(5);
  expect(parse(await text(stream)).length).toBeGreaterThan(1900);
  expect(pages).toBeGreaterThan(19);
});

test('[H9] many exports at once do not keep the node from its other work', async () => {
  const { session, note, services } = await streamRig();
  const id = await session();
  const long = 'x'.repeat(1000);
  await Promise.all(Array.from({ length: 2000 }, () => note(id, long)));
  let pages = 0;
  const log = await services.logs.ofSession(ADMIN, id);
  const events = [
    ...(await services.logs.events(log, 0, 1000)),
    ...(await services.logs.events(log, 1000, 1000)),
  ];
  // An embedded database answers in the same turn.
  const logs = {
    ...services.logs,
    ofSession: async () => log,
    events: async (_: unknown, after: number, limit: number) => {
      pages++;
      return events.slice(after, after + limit);
    },
  };
  const exported = async (): Promise<void> => {
    for await (const _ of await exportLines({ ...services, logs }, ADMIN, id));
  };
  const turns = await turnsDuring(() => Promise.all(Array.from({ length: 5 }, exported)));
  expect(pages).toBeGreaterThan(50);
  expect(turns).toBeGreaterThanOrEqual(pages - 10);
});

test('[H9] an export holds little in memory, even if large events follow many small ones', async () => {
  const { session, note, services } = await streamRig();
  const id = await session(300);
  const large = 'x'.repeat(200_000);
  for (let i = 0; i < 20; i++) await note(id, large);
  const read: number[] = [];
  const counting = {
    ...services,
    logs: {
      ...services.logs,
      events: (...args: Parameters<typeof services.logs.events>) => {
        read.push(args[1]);
        return services.logs.events(...args);
      },
    },
  };
  const lines = parse(await text(await exportLines(counting, ADMIN, id)));
  const seqs = lines.flatMap((line) => ('event' in line ? [line.event.seq] : []));
  expect(seqs).toEqual(Array.from({ length: 320 }, (_, i) => i + 1));
  // At most three large events at a time.
  const firsts = read.filter((after) => after >= 300);
  for (const [i, after] of firsts.entries()) {
    expect((firsts[i + 1] ?? 320) - after).toBeLessThanOrEqual(3);
  }
});

test('an export that breaks off cannot be mistaken for a complete one', async () => {
  const { session, note, services, get } = await streamRig();
  const id = await session();
  await Promise.all(Array.from({ length: 300 }, () => note(id, 'x')));
  const { events } = services.logs;
  services.logs.events = (target, after, limit) =>
    after > 100 ? Promise.reject(new Error('away')) : events(target, after, limit);
  const answer = await get(`/api/v1/sessions/${id}/export`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test('[X3] an export breaks off when the session is no longer shared', async () => {
  const { session, note, services, store } = await streamRig();
  const id = await session();
  const long = 'x'.repeat(1000);
  await Promise.all(Array.from({ length: 1000 }, () => note(id, long)));
  const { id: userId } = await store.createUser({ id: newId(), name: 'taro', role: 'viewer' });
  await store.putShares(id, [{ userId, level: 'view' }]);
  const viewer = authorised({ userId, role: 'viewer', channel: 'api' });
  const stream = await exportLines(services, viewer, id);
  stream.read();
  await until(() => stream.readableLength >= stream.readableHighWaterMark);
  await store.putShares(id, []);
  await expect(text(stream)).rejects.toMatchObject({ code: 'not_found' });
});
