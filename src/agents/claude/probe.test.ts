import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { probeEnvironment } from '../../node/probe-environment.ts';
import { probeClaude } from './probe.ts';

/** A program that claims to be Claude Code of a version. */
function claude(version: string): string {
  const path = join(temporaryDirectory(), 'claude');
  writeFileSync(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** What `baton doctor` shows. */
async function check(path: string, server: NodeJS.ProcessEnv, agentEnv?: string[]) {
  return (await probeClaude(path, probeEnvironment(server, agentEnv))).findings;
}

test('[C1] the doctor finds Claude Code with its version, and a key', async () => {
  const path = claude('2.1.325');
  const env = { ANTHROPIC_API_KEY: 'sk-ant-x', PATH: process.env['PATH'] };
  expect(await check(path, env)).toEqual([
    { name: 'agent claude', state: 'ok', text: `${path}, 2.1.325` },
    { name: 'claude login', state: 'ok', text: 'ANTHROPIC_API_KEY is set for agents' },
  ]);
  const [, hidden] = await check(path, env, ['HTTP_PROXY']);
  expect(hidden).toMatchObject({ state: 'note', fix: 'add ANTHROPIC_API_KEY to BATON_AGENT_ENV' });
});

test('[C1] the doctor finds a login, or notes that there is neither login nor key', async () => {
  const path = claude('2.2.0');
  const home = temporaryDirectory();
  const env = { HOME: home, PATH: process.env['PATH'] };
  expect((await check(path, env))[1]).toMatchObject({ state: 'note' });
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude', '.credentials.json'), '{}');
  expect((await check(path, env))[1]).toMatchObject({ state: 'ok' });
});

test('[C1] the doctor says what to do if Claude Code is too old, missing or does not run', async () => {
  const env = { PATH: process.env['PATH'] };
  expect(await check(claude('2.1.112'), env)).toMatchObject([
    {
      state: 'note',
      text: expect.stringContaining('2.1.197 or newer'),
      fix: expect.stringContaining('npm install'),
    },
  ]);
  expect(await check('/not/there', env)).toMatchObject([
    { state: 'note', text: '/not/there does not run', fix: expect.stringContaining('shell') },
  ]);
});
