import { expect, test } from 'vitest';
import { Server } from '../support/server-rig.ts';

const MIB = 1024 * 1024;

test('[E10] the stored output of a run is capped: the log says where the gap begins, and keeps the newest part', async () => {
  const server = await Server.start({ env: { BATON_RUN_OUTPUT_MIB: '2' } });
  const { id } = await server.session('flood');
  // 13 MiB; the command notices nothing.
  const run = await server.finished(
    await server.send(id, 'seq 1 1800000; echo said all >&2'),
    50_000,
  );
  expect(run).toMatchObject({ state: 'succeeded', attempts: 1 });
  const events = await server.log(id);
  const bytes = events.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0);
  expect(bytes).toBeGreaterThan(2 * MIB);
  expect(bytes).toBeLessThan(3 * MIB);

  const gaps = events.filter(({ payload }) => (payload as { gap?: boolean } | null)?.gap === true);
  expect(gaps).toHaveLength(1);
  expect(gaps[0]).toMatchObject({
    type: 'agent.notice',
    payload: { text: expect.stringContaining('2 MiB (BATON_RUN_OUTPUT_MIB)') },
  });
  // Everything before it is there, line by line. As JSON, a line has one more character.
  const before = events.filter(
    ({ type, seq }) => type === 'agent.delta' && seq < (gaps[0]?.seq ?? 0),
  );
  const text = before.map(({ payload }) => (payload as { text: string }).text).join('');
  expect(text.length).toBeGreaterThan(1.7 * MIB);
  const lines = text.split('\n').slice(0, -1);
  expect(lines.slice(0, 3)).toEqual(['1', '2', '3']);
  expect(lines.at(-1)).toBe(String(lines.length));
  const said = events.filter(({ type }) => type === 'agent.message');
  expect(said).toMatchObject([
    { payload: { text: expect.stringContaining('\n1799999\n1800000\n') } },
  ]);
}, 60_000);
