import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
// @ts-expect-error: JavaScript, like all of the launcher
import { withLock } from '../../bin/lock.mjs';

/** Timeout of an installation, including a download of about 100 MB on a slow line. */
export const INSTALL_MS = 10 * 60_000;

/** The first is the same browser without windows and uses a quarter less CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const MAC_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** The path of a working Chromium; installs one if there is none. Concurrent callers take turns. */
export async function chromiumPath(): Promise<string> {
  const path = findChromium();
  if (path !== null) return path;
  const directory = join(tmpdir(), `baton-browser-${userInfo().uid}`);
  let installed = '';
  await withLock(join(directory, 'install.lock'), {
    waiting: () => {},
    run: async () => {
      installed = await install(directory);
    },
  });
  return installed;
}

/** A Chromium that actually runs: Ubuntu's package is only a stub without snap. */
export function findChromium(): string | null {
  const candidates = [...onPath(NAMES), ...MAC_PATHS, chromium.executablePath()];
  return candidates.find((path) => isProgram(path) && runs(path)) ?? null;
}

/**
 * Installs with the system's package manager if permitted, otherwise with Playwright's download.
 */
async function install(directory: string): Promise<string> {
  const already = findChromium();
  if (already !== null) return already;
  const log = join(directory, 'install.log');
  const isRoot = process.getuid?.() === 0;
  const deadline = AbortSignal.timeout(INSTALL_MS);
  if (isRoot && hasApt()) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update'], log, { env, signal: deadline });
    // Some distributions lack the first.
    for (const name of ['chromium-headless-shell', 'chromium']) {
      const packages = ['install', '-y', '--no-install-recommends', name];
      await run('apt-get', packages, log, { env, signal: deadline });
      const path = findChromium();
      if (path !== null) return path;
    }
  }
  const manifest = createRequire(import.meta.url).resolve('playwright-core/package.json');
  const cli = join(dirname(manifest), 'cli.js');
  const more = isRoot ? ['--with-deps'] : [];
  await run(process.execPath, [cli, 'install', 'chromium', ...more], log, { signal: deadline });
  const path = findChromium();
  if (path !== null) return path;
  throw new Error(noBrowser(isRoot, log));
}

/** The command that installs it, for a user who needs a password for that. */
function noBrowser(isRoot: boolean, log: string): string {
  const packages = 'apt-get update && apt-get install -y chromium';
  let command = 'npx playwright-core install --with-deps chromium';
  if (!isRoot && hasApt()) {
    const asRoot = onPath(['sudo']).some(isProgram) ? 'sudo sh -c' : 'su -c';
    command = `${asRoot} '${packages}'`;
  }
  return [
    'The tests need a Chromium browser, and there is none.',
    `Why: ${isRoot ? '' : 'only root may install packages, and '}downloading one failed; see ${log}.`,
    `What to do: ${command}`,
  ].join('\n');
}

const hasApt = (): boolean => existsSync('/usr/bin/apt-get');

const onPath = (names: readonly string[]): string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));

/** Ignores the exit code: what matters is whether a browser exists afterwards. */
async function run(
  command: string,
  args: string[],
  log: string,
  options: Pick<SpawnOptions, 'env' | 'signal'>,
): Promise<void> {
  const output = openSync(log, 'a');
  const child = spawn(command, args, { ...options, stdio: ['ignore', output, output] });
  child.on('error', () => {});
  await once(child, 'close').catch(() => {});
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const runs = (path: string): boolean =>
  spawnSync(path, ['--version', '--no-sandbox'], { timeout: 30_000 }).status === 0;
