import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  cleanEnvironment,
  isAlive,
  root,
  start,
  temporaryDirectory,
  until,
} from '../support/processes.ts';

// Runs the sources, not a bundle.
vi.stubEnv('NODE_OPTIONS', '');

/** A checkout with the real launcher, a program that only says hello, and a stand-in for npm. */
function makeCheckout() {
  const path = temporaryDirectory();
  cpSync(join(root, 'bin'), join(path, 'bin'), { recursive: true });
  mkdirSync(join(path, 'src', 'cli'), { recursive: true });
  writeFileSync(join(path, 'src', 'cli', 'main.ts'), `console.log('hello from', process.version);`);
  writeFileSync(join(path, 'package.json'), '{"type":"module"}');
  mkdirSync(join(path, 'tools'));
  copyFileSync(join(root, 'test', 'fixtures', 'fake-npm.mjs'), join(path, 'tools', 'npm'));
  chmodSync(join(path, 'tools', 'npm'), 0o755);
  const env = {
    PATH: [join(path, 'tools'), cleanEnvironment()['PATH']].join(delimiter),
  };
  const checkout = {
    path,
    launch: (nodeArgs: string[] = [], args: string[] = []) =>
      start(process.execPath, [...nodeArgs, join(path, 'bin', 'baton.mjs'), ...args], {
        cwd: path,
        env,
      }),
    lock: (version: string) =>
      writeFileSync(
        join(path, 'package-lock.json'),
        JSON.stringify({ packages: { '': {}, 'node_modules/thing': { version } } }),
      ),
    calls: () => readFileSync(join(path, 'npm-calls'), 'utf8').trim().split('\n'),
  };
  checkout.lock('1.0.0');
  return checkout;
}

describe('installing', () => {
  test('[O1] happens only at the first start, and says so in one line', async () => {
    const checkout = makeCheckout();
    const first = checkout.launch();
    expect((await first.exit).code).toBe(0);
    expect(first.stdout()).toContain('hello from v');
    expect(first.stderr()).toBe('Installing dependencies (first start only)…\n');
    const second = checkout.launch();
    expect((await second.exit).code).toBe(0);
    expect(second.stderr()).toBe('');
    expect(checkout.calls()).toEqual(['ci --include=dev --no-audit --no-fund --loglevel=error']);
  });

  test('[O1] happens again when the lock file has changed', async () => {
    const checkout = makeCheckout();
    await checkout.launch().exit;
    checkout.lock('1.1.0');
    const again = checkout.launch();
    await again.exit;
    expect(again.stderr()).toContain('they have changed');
    expect(checkout.calls()).toHaveLength(2);
  });

  test('[O1] two first starts at once install once', async () => {
    const checkout = makeCheckout();
    const starts = [checkout.launch(), checkout.launch(), checkout.launch()];
    const ends = await Promise.all(starts.map((each) => each.exit));
    expect(ends.map((end) => end.code)).toEqual([0, 0, 0]);
    expect(checkout.calls()).toHaveLength(1);
    expect(existsSync(join(checkout.path, '.baton', 'install.lock'))).toBe(false);
  });

  test('[O1] a lock left by a killed start does not block the next one', async () => {
    const checkout = makeCheckout();
    writeFileSync(join(checkout.path, 'npm-hangs'), '');
    const killed = checkout.launch();
    const pidFile = join(checkout.path, 'npm-pid');
    await until('npm runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    process.kill(killed.pid, 'SIGKILL');
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    await killed.exit;
    rmSync(join(checkout.path, 'npm-hangs'));
    expect((await checkout.launch().exit).code).toBe(0);
  });

  test('[O1] a failure shows the output of npm and what to do', async () => {
    const checkout = makeCheckout();
    writeFileSync(join(checkout.path, 'npm-fails'), '');
    const failed = checkout.launch();
    expect((await failed.exit).code).toBe(1);
    expect(failed.stderr()).toMatch(/network is down.*Why: .*exit code 7.*What to do: .*npm ci/s);
    expect(failed.stderr()).not.toContain('    at ');
  });

  test('[O1] SIGTERM ends it with exit code 0 and leaves no npm behind', async () => {
    const checkout = makeCheckout();
    writeFileSync(join(checkout.path, 'npm-hangs'), '');
    const stopped = checkout.launch([], ['up']);
    const pidFile = join(checkout.path, 'npm-pid');
    await until('npm runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    process.kill(stopped.pid, 'SIGTERM');
    expect(await stopped.exit).toEqual({ code: 0, signal: null });
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });
});

describe('building the web app', () => {
  /** A checkout with a web app of one file, and a stand-in for Vite. */
  async function withApp(vite: string) {
    const checkout = makeCheckout();
    await checkout.launch().exit;
    for (const name of ['web', 'src/contract', 'src/client']) {
      mkdirSync(join(checkout.path, name), { recursive: true });
      writeFileSync(join(checkout.path, name, 'one.ts'), name);
    }
    const bin = join(checkout.path, 'node_modules', 'vite', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'vite.js'), `const fs = require('node:fs');\n${vite}`);
    return checkout;
  }
  const BUILDS = `
    const out = process.argv[process.argv.indexOf('--outDir') + 1];
    fs.mkdirSync(out, { recursive: true });
    fs.writeFileSync(out + '/index.html', fs.readFileSync('web/one.ts'));
    fs.appendFileSync('builds', 'once\\n');`;

  test('[O1] happens when its sources have changed, and the old build stays until then', async () => {
    const checkout = await withApp(BUILDS);
    const page = () => readFileSync(join(checkout.path, 'dist', 'web', 'index.html'), 'utf8');
    const first = checkout.launch([], ['up']);
    expect((await first.exit).code).toBe(0);
    expect(first.stderr()).toBe('Building the web app…\n');
    expect(page()).toBe('web');
    await checkout.launch([], ['up']).exit;
    writeFileSync(join(checkout.path, 'web', 'one.ts'), 'another');
    await checkout.launch([], ['ls']).exit;
    expect(page()).toBe('web');
    await checkout.launch([], ['up']).exit;
    expect(page()).toBe('another');
    expect(readFileSync(join(checkout.path, 'builds'), 'utf8')).toBe('once\nonce\n');
  });

  test('[O1] a failure shows the output of Vite and what to do', async () => {
    const checkout = await withApp(`console.error('no space left'); process.exit(3);`);
    const failed = checkout.launch([], ['up']);
    expect((await failed.exit).code).toBe(1);
    expect(failed.stderr()).toMatch(/no space left.*Why: .*exit code 3.*What to do: /s);
  });

  test('[O1] SIGTERM ends it with exit code 0 and leaves no Vite behind', async () => {
    const checkout = await withApp(
      `fs.writeFileSync('vite-pid', String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const stopped = checkout.launch([], ['up']);
    const pidFile = join(checkout.path, 'vite-pid');
    await until('Vite runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    process.kill(stopped.pid, 'SIGTERM');
    expect(await stopped.exit).toEqual({ code: 0, signal: null });
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });
});

describe('handing over', () => {
  /** Makes the launcher believe that it runs on an old Node. */
  const pretend = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } })`,
  )}`;

  test('[O1] on an old Node, the launcher uses the Node of the platform package', async () => {
    const checkout = makeCheckout();
    await checkout.launch().exit;
    const name = `node-${process.platform}-${process.arch}`;
    const bin = join(checkout.path, 'node_modules', name, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, '..', 'package.json'), '{}');
    // The first argument that is not an option of Node is the program.
    const find = 'for word do case "$word" in --*) ;; *) break ;; esac; done';
    const script = `#!/bin/sh\n${find}\necho "the other node runs $word"\n`;
    writeFileSync(join(bin, 'node'), script, { mode: 0o755 });
    const handed = checkout.launch(['--import', pretend]);
    expect((await handed.exit).code).toBe(0);
    expect(handed.stdout()).toBe(`the other node runs ${join(checkout.path, 'src/cli/main.ts')}\n`);
  });

  test('[O1] without that package, the error names Node 24', async () => {
    const checkout = makeCheckout();
    await checkout.launch().exit;
    const refused = checkout.launch(['--import', pretend]);
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr()).toMatch(
      /needs Node 24.*Why: this is Node 18.0.0.*What to do: install/s,
    );
  });

  test('[O1] the error names a Node that does not run here', async () => {
    const checkout = makeCheckout();
    await checkout.launch().exit;
    const name = `node-${process.platform}-${process.arch}`;
    const bin = join(checkout.path, 'node_modules', name, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, '..', 'package.json'), '{}');
    writeFileSync(join(bin, 'node'), '#!/no/such/loader\n', { mode: 0o755 });
    const refused = checkout.launch(['--import', pretend]);
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr()).toMatch(/does not run on this machine.*install Node 24/s);
  });
});
