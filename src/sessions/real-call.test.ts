import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptRig, END, init } from '../../test/attempt-rig.ts';
import { temporaryDirectory } from '../../test/processes.ts';
import { ADMIN } from '../../test/service-rig.ts';
import type { ToolAnswer } from '../agents/driver.ts';
import { realCall } from './real-call.ts';

function place() {
  const home = temporaryDirectory();
  const [work, outside] = [join(home, 'work'), join(home, 'outside')];
  for (const folder of [work, outside, join(work, 'src')]) mkdirSync(folder);
  writeFileSync(join(outside, 'key'), 'secret');
  symlinkSync(outside, join(work, 'src', 'away'));
  symlinkSync('../../outside/new', join(work, 'src', 'later'));
  symlinkSync('loop', join(work, 'src', 'loop'));
  symlinkSync('src', join(work, 'near'));
  symlinkSync(work, join(home, 'door'));
  const leads = async (input: object, from = work) =>
    (await realCall({ tool: 'Read', input: { ...input } }, from))?.input ?? null;
  return { home, work, outside, leads };
}

test('[P1] a link that leads out of the workspace is followed', async () => {
  const { work, outside, leads } = place();
  expect(await leads({ file_path: 'src/away/key' })).toEqual({ file_path: join(outside, 'key') });
  const there = join(work, 'src/away/not-yet/deep');
  expect(await leads({ file_path: there })).toEqual({ file_path: join(outside, 'not-yet/deep') });
  expect(await leads({ file_path: 'src/later' })).toEqual({ file_path: join(outside, 'new') });
  expect(await leads({ path: 'src/away', pattern: 'x' })).toEqual({ path: outside, pattern: 'x' });
  expect(await leads({ notebook_path: 'near/a' })).toEqual({ notebook_path: join(work, 'src/a') });
});

test('[P1] without one the call is as it says, also where the workspace is behind one', async () => {
  const { home, work, leads } = place();
  const door = join(home, 'door');
  for (const path of ['src/a', './src/../b', 'not/yet', 'src/loop', '~/x', '']) {
    expect(await leads({ file_path: join(work, path) })).toBeNull();
    expect(await leads({ file_path: join(door, path) }, door)).toBeNull();
  }
  expect(await leads({ file_path: 5 })).toBeNull();
  expect(await leads({ command: 'cat src/away/key' })).toBeNull();
});

test('[P3] a call through a link is judged by where it leads, too', async () => {
  const rig = await attemptRig();
  const outside = temporaryDirectory();
  symlinkSync(outside, join(rig.path, 'away'));
  const rules = { allow: ['Read'], ask: [], deny: [`Read(/${outside}/**)`] };
  const place = { scope: 'session', sessionId: rig.session.id } as const;
  await rig.service.putRules(ADMIN, place, rules);
  await rig.say('read');
  const answers: (ToolAnswer | undefined)[] = [];
  const attempt = await rig.attempt(async function* ({ permit }) {
    yield init();
    for (const path of ['near/key', 'away/key']) {
      const call = { id: path, tool: 'Read', input: { file_path: join(rig.path, path) } };
      answers.push(await permit?.(call, new AbortController().signal));
    }
    yield { kind: 'end', end: END };
  });
  expect(await attempt.ended()).toMatchObject({ kind: 'succeeded' });
  expect(answers).toMatchObject([{ behavior: 'allow' }, { behavior: 'deny' }]);
});
