import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptRig, END, init } from '../../../test/support/attempt-rig.ts';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN } from '../../../test/support/service-rig.ts';
import type { ToolAnswer } from '../../agents/driver.ts';
import { realCalls } from './real-call.ts';

function linkRig() {
  const home = temporaryDirectory();
  const [work, outside] = [join(home, 'work'), join(home, 'outside')];
  for (const folder of [work, outside, join(work, 'src')]) mkdirSync(folder);
  writeFileSync(join(outside, 'key'), 'secret');
  symlinkSync(outside, join(work, 'src', 'away'));
  symlinkSync('../../outside/new', join(work, 'src', 'later'));
  symlinkSync('loop', join(work, 'src', 'loop'));
  symlinkSync('src', join(work, 'near'));
  symlinkSync(work, join(home, 'door'));
  const leads = async (input: object, from = work, tool = 'Read') =>
    (await realCalls({ tool, input: { ...input } }, testRuntime(from))).calls[1]?.input ?? null;
  const named = async (command: string) =>
    (await realCalls({ tool: 'Bash', input: { command } }, testRuntime(work))).calls[0]?.real;
  return { home, work, outside, leads, named };
}

test('[P1] a link that leads out of the workspace is followed', async () => {
  const { work, outside, leads } = linkRig();
  expect(await leads({ file_path: 'src/away/key' })).toEqual({ file_path: join(outside, 'key') });
  const there = join(work, 'src/away/not-yet/deep');
  expect(await leads({ file_path: there })).toEqual({ file_path: join(outside, 'not-yet/deep') });
  expect(await leads({ file_path: 'src/later' })).toEqual({ file_path: join(outside, 'new') });
  expect(await leads({ path: 'src/away', pattern: 'x' })).toEqual({ path: outside, pattern: 'x' });
  expect(await leads({ notebook_path: 'near/a' })).toEqual({ notebook_path: join(work, 'src/a') });
});

test('[P1] without a link the call is unchanged, even if the workspace itself is behind one', async () => {
  const { home, work, leads } = linkRig();
  const door = join(home, 'door');
  for (const path of ['src/a', './src/../b', 'not/yet', 'src/loop', '~/x', '']) {
    expect(await leads({ file_path: join(work, path) })).toBeNull();
    expect(await leads({ file_path: join(door, path) }, door)).toBeNull();
  }
  expect(await leads({ file_path: 5 })).toBeNull();
});

test("[P1] links are followed as the system does: `..` is the parent of the link's target", async () => {
  const { home, outside, leads } = linkRig();
  expect(await leads({ file_path: 'src/away/../outside/key' })).toEqual({
    file_path: join(outside, 'key'),
  });
  expect(await leads({ file_path: 'src/away/..' })).toEqual({ file_path: home });
});

test('[P1] links in /proc lead where they lead for the agent', async () => {
  const { home, work, leads } = linkRig();
  for (const way of ['self/root', '1/root', 'self/task/1/root', 'thread-self/root']) {
    const path = `/proc/${way}${home}/outside/key`;
    expect(await leads({ file_path: path })).toEqual({ file_path: join(home, 'outside/key') });
  }
  expect(await leads({ file_path: '/proc/self/cwd/src/a' })).toEqual({
    file_path: join(work, 'src/a'),
  });
  expect(await leads({ file_path: '/proc/self/cwd/../outside/key' })).toEqual({
    file_path: join(home, 'outside/key'),
  });
  symlinkSync('/proc/self/cwd', join(work, 'here'));
  expect(await leads({ file_path: 'here/src/away/key' })).toEqual({
    file_path: join(home, 'outside/key'),
  });
  expect(await leads({ file_path: '/proc/4711/cwd/x' })).toBeNull();
});

test('[P1] a search starts where its folder and its pattern lead', async () => {
  const { work, outside, leads } = linkRig();
  expect(await leads({ pattern: 'src/away/*' }, work, 'Glob')).toEqual({
    path: outside,
    pattern: '*',
  });
  expect(await leads({ path: 'src', pattern: 'away/**/k' }, work, 'Glob')).toEqual({
    path: outside,
    pattern: '**/k',
  });
});

test('[P1] the names of files in a command are followed', async () => {
  const { home, work, outside, named } = linkRig();
  const real = await named('cat src/away/key near -fsrc/away/key HEAD:src/later not/there');
  expect(Object.fromEntries(real!)).toMatchObject({
    'src/away/key': { path: join(outside, 'key'), folder: false },
    near: { path: join(work, 'src'), folder: true },
    'src/later': { path: join(outside, 'new') },
  });
  expect(real!.has('not/there')).toBe(false);
  expect((await named(`cat /proc/self/root${home}/outside`))!.values().next().value).toMatchObject({
    path: outside,
    folder: true,
  });
  expect(await named(`cat ${Array.from({ length: 5100 }, (_, i) => `w${i}`).join(' ')}`)).toBe(
    undefined,
  );
});

test('[P3] a call through a link is also judged by where it leads', async () => {
  const rig = await attemptRig();
  const outside = temporaryDirectory();
  symlinkSync(outside, join(rig.path, 'away'));
  const rules = { allow: ['Read'], ask: [], deny: [`Read(/${outside}/**)`] };
  await rig.services.rules.putForSession(ADMIN, rig.session.id, rules);
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

test.each([
  ['Read', 'file_path', 'a/'],
  ['Read', 'file_path', 'a/../'],
  ['Read', 'file_path', 'b/b/b/b/b/a/../../'],
  ['Glob', 'pattern', 'a/'],
  ['mcp__a__b', 'text', 'a/'],
  ['mcp__a__b', 'text', 'see src/a/b, '],
])(
  '[P1] the time for a long path does not grow with the square of its length: %s, %s of %s',
  async (tool, field, piece) => {
    const runtime = testRuntime(temporaryDirectory());
    const time = async (length: number): Promise<number> => {
      const input = { [field]: piece.repeat(length / piece.length) };
      const begun = process.cpuUsage();
      await realCalls({ tool, input }, runtime);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    };
    await time(12_500);
    // Linear time takes 16 times as long, quadratic 256 times.
    expect(await time(200_000)).toBeLessThan(Math.max(await time(12_500), 5) * 130);
  },
);

test('[P1] a path too long for the system is resolved by its names', async () => {
  const { work, leads } = linkRig();
  const detour = (name: string): string => `${'x/../'.repeat(2000)}${name}`;
  const led = async (path: string) => await leads({ file_path: path });
  expect(await led(detour('src/away/key'))).toEqual(await led('src/away/key'));
  expect(await led(`${work}/${detour('src/away/key')}`)).toEqual(await led('src/away/key'));
  expect(await led(`/${'../'.repeat(2000)}${work.slice(1)}/src/away/key`)).toEqual(
    await led('src/away/key'),
  );
});
