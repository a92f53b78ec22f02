import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { INSTALL_MS } from './browser-install.ts';
import { launch } from './browser-launch.ts';

/** A real Chromium for the tests of this file; each test opens its own context. */
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
