import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start, temporaryDirectory } from '../test/support/processes.ts';

const program = join(root, 'scripts', 'test-browser.ts');

test('a user who may not install packages reads the one command that brings a browser', async () => {
  // No browser, no sudo, nothing can be downloaded, and not root.
  const place = temporaryDirectory();
  const env = {
    PATH: '/no-such-folder',
    TMPDIR: place,
    PLAYWRIGHT_BROWSERS_PATH: join(place, 'browsers'),
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

test('a browser that is there is named', async () => {
  const place = temporaryDirectory();
  symlinkSync('/bin/true', join(place, 'chromium'));
  const started = start(process.execPath, [program], { env: { PATH: place } });
  expect((await started.exit).code).toBe(0);
  expect(started.stdout()).toBe(`${join(place, 'chromium')}\n`);
});
