import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start, temporaryDirectory } from '../test/support/processes.ts';

const program = join(root, 'scripts', 'test-browser.ts');

test('a user who cannot install packages is shown the one command that installs a browser', async () => {
  // No browser, no sudo, nothing can be downloaded, and not root.
  const directory = temporaryDirectory();
  const env = {
    PATH: '/no-such-folder',
    TMPDIR: directory,
    PLAYWRIGHT_BROWSERS_PATH: join(directory, 'browsers'),
    PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
    NODE_OPTIONS: '--import "data:text/javascript,process.getuid=()=>1000"',
  };
  const started = start(process.execPath, [program], { env });
  expect((await started.exit).code).toBe(1);
  const [what, why, advice, ...more] = started.stderr().trim().split('\n');
  expect(what).toBe('The tests need a Chromium browser, and there is none.');
  expect(why).toMatch(/^Why: only root may install packages, .*install\.log\.$/);
  expect(advice).toBe(
    existsSync('/usr/bin/apt-get')
      ? "What to do: su -c 'apt-get update && apt-get install -y chromium'"
      : 'What to do: npx playwright-core install --with-deps chromium',
  );
  expect(more).toEqual([]);
});

test('the path of an installed browser is printed', async () => {
  const directory = temporaryDirectory();
  symlinkSync('/bin/true', join(directory, 'chromium'));
  const started = start(process.execPath, [program], { env: { PATH: directory } });
  expect((await started.exit).code).toBe(0);
  expect(started.stdout()).toBe(`${join(directory, 'chromium')}\n`);
});
