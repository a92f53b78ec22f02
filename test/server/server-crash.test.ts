import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { seeded } from '../support/seeded.ts';
import { freePort, Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { EventReader } from './event-reader.ts';

/** Processes with exactly this command line; a leftover of an agent would be one. */
function alive(command: string): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter(
      (line) =>
        line.endsWith(` ${command}`) && !line.startsWith('Z') && line.split(/\s+/)[1] === 'sleep',
    );
}

async function startRig() {
  // A unique time to sleep, to recognise the process by.
  const nap = `sleep ${randomInt(1e8, 1e9)}`;
  const dataDir = temporaryDirectory();
  const port = await freePort();
  const options = { dataDir, args: ['--port', String(port)] };
  const outside = temporaryDirectory();
  const starts = join(outside, 'starts');
  const gate = join(outside, 'gate');
  const server = await Server.start(options);
  const session = await server.session('survivor');
  // Prints until the gate file exists, and has a child that left its process group and session.
  const long = `echo first >> ${starts}; (setsid ${nap} &); i=0; while [ ! -e ${gate} ]; do echo line $i; i=$((i+1)); sleep 0.05; done; echo over`;
  const runs = [
    await server.send(session.id, long),
    await server.send(session.id, `echo second >> ${starts}`),
    await server.send(session.id, `echo third >> ${starts}`),
  ] as const;
  const isLast = ({ type, runId }: SessionEvent) => type === 'done' && runId === runs[2];
  const events = `${server.url}/api/v1/sessions/${session.id}/events`;
  const readers = Array.from({ length: 5 }, () => new EventReader(events, isLast));
  const hasBegun = ({ events }: EventReader) => events.some(({ type }) => type === 'agent.delta');
  await until(() => readers.every(hasBegun));
  // Random reconnects while it runs.
  const random = seeded(7);
  for (let i = 0; i < 20; i++) {
    const reader = readers[Math.floor(random() * readers.length)];
    const seen = reader?.events.length ?? 0;
    reader?.cut();
    await until(() => (reader?.events.length ?? 0) > seen);
  }
  return { options, server, session, runs, isLast, readers, starts, gate, nap };
}

type Rig = Awaited<ReturnType<typeof startRig>>;

async function expectWhole(server: Server, { session, runs, isLast, readers, nap }: Rig) {
  await server.finished(runs[2]);
  await Promise.all(readers.map((each) => each.ended));
  const stored = await server.log(session.id);
  const last = stored.find(isLast)?.seq ?? 0;
  expect(stored.slice(0, last).map(({ seq }) => seq)).toEqual(
    Array.from({ length: last }, (_, i) => i + 1),
  );
  for (const reader of readers) {
    expect(reader.connects).toBeGreaterThan(1);
    expect(reader.events).toEqual(stored.slice(0, last));
  }
  for (const id of runs) {
    expect(stored.filter(({ type, runId }) => type === 'done' && runId === id)).toHaveLength(1);
    expect(await server.run(id)).toMatchObject({ state: 'succeeded', attempts: 1 });
  }
  await until(() => alive(nap).length === 0, { every: 50 });
}

test('[E3] [Q7] [A9] kill -9 in mid-run: readers see every event once, the run ends once, nothing is left over, and the rest continues in order', async () => {
  const rig = await startRig();
  await rig.server.kill();
  const again = await Server.start(rig.options);
  await until(() => readFileSync(rig.starts, 'utf8') === 'first\nfirst\n');
  // The processes of the dead server's agent are gone; this one belongs to the new attempt.
  await until(() => alive(rig.nap).length === 1, { every: 50 });
  writeFileSync(rig.gate, '');
  await expectWhole(again, rig);
  expect(await again.run(rig.runs[0])).toMatchObject({ crashes: 1 });
  expect(readFileSync(rig.starts, 'utf8')).toBe('first\nfirst\nsecond\nthird\n');
  expect(await again.stop()).toBe(0);
}, 90_000);

test('[E3] [Q20] SIGTERM in mid-run: the run ends within its grace period, readers reconnect, and the rest continues in order', async () => {
  const rig = await startRig();
  process.kill(rig.server.program.pid, 'SIGTERM');
  await until(() => rig.server.program.stderr().includes('Stopping'));
  writeFileSync(rig.gate, '');
  expect((await rig.server.program.exit).code).toBe(0);
  const again = await Server.start(rig.options);
  await expectWhole(again, rig);
  expect(await again.run(rig.runs[0])).toMatchObject({ crashes: 0 });
  expect(readFileSync(rig.starts, 'utf8')).toBe('first\nsecond\nthird\n');
  expect(await again.stop()).toBe(0);
}, 90_000);
