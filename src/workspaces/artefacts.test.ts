import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { ARTEFACT_BYTES, ArtefactName } from '../contract/artefact.ts';
import { newId } from '../contract/values/ids.ts';
import { directoryArtefacts } from './artefacts.ts';

function rig() {
  const dataDir = temporaryDirectory();
  const session = newId();
  const folder = join(dataDir, 'artefacts', session);
  return { dataDir, session, folder, artefacts: directoryArtefacts({ dataDir }) };
}

test('[E5] is kept for its owner only, read whole, and removed with its session', async () => {
  const { artefacts, session, folder } = rig();
  const { name, bytes } = await artefacts.keep(session, 'run', 'toolu_1', 'すべて');
  expect([name, bytes]).toEqual(['run-toolu_1.txt', 9]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await artefacts.keep(session, 'run', 'toolu_1', 'again');
  const stored = await artefacts.read(session, name);
  expect(stored && (await textOf(stored))).toBe('again');
  expect(await artefacts.read(session, 'other.txt')).toBeNull();
  expect(await artefacts.read(newId(), name)).toBeNull();
  await artefacts.remove(session);
  expect(existsSync(folder)).toBe(false);
  await artefacts.remove(session);
});

test.each(['../../../etc/passwd', 'a/b', '', '.', 'x'.repeat(500), 'a\0b', '写真'])(
  '[E5] a call named %j does not lead out of the folder',
  async (call) => {
    const { artefacts, session, folder } = rig();
    const { name } = await artefacts.keep(session, newId(), call, 'text');
    expect(ArtefactName.safeParse(name).success).toBe(true);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test('[E5] a link is followed neither to write nor to read', async () => {
  const { artefacts, session, folder, dataDir } = rig();
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'theirs'), 'secret');
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(outside, 'theirs'), join(folder, 'run-call.txt'));
  expect(await artefacts.read(session, 'run-call.txt')).toBeNull();
  await artefacts.keep(session, 'run', 'call', 'ours');
  expect(readFileSync(join(outside, 'theirs'), 'utf8')).toBe('secret');
  const other = newId();
  symlinkSync(outside, join(dataDir, 'artefacts', other));
  await expect(artefacts.keep(other, 'run', 'call', 'ours')).rejects.toThrow('directory');
  writeFileSync(join(outside, 'run-call.txt'), 'secret');
  expect(await artefacts.read(other, 'run-call.txt')).toBeNull();
});

test('[E5] ends at its own limit, between two characters', async () => {
  const { artefacts, session, folder } = rig();
  const { name, bytes } = await artefacts.keep(
    session,
    'run',
    'call',
    `x${'あ'.repeat(ARTEFACT_BYTES / 3)}`,
  );
  expect(bytes).toBeLessThanOrEqual(ARTEFACT_BYTES);
  expect(bytes).toBeGreaterThan(ARTEFACT_BYTES - 4);
  expect(readFileSync(join(folder, name), 'utf8').endsWith('あ')).toBe(true);
});
