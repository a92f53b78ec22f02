import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath, INSTALL_MS } from './browser-install.ts';

/** A real Chromium for the tests of this file; tests open a context of their own in it. */
export function browser(args: readonly string[] = []): () => Browser {
  let running: Browser | undefined;
  beforeAll(async () => {
    running = await launch(args);
  }, INSTALL_MS + 60_000);
  afterAll(() => running?.close());
  return () => {
    if (running === undefined) throw new Error('the browser is not running yet');
    return running;
  };
}

export async function launch(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: await chromiumPath(),
    // Its sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage', ...args],
  });
}
